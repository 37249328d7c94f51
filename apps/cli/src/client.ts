// `import { connect } from 'slotwire/client'`; docs/guide/client.md. Browsers get client-browser.ts.
import type { InProcess } from '@slotwire/client'
import { nodeTransport } from './client/node-transport.ts'
import { connect as connectAnywhere, type Device, type DeviceOptions } from './client-browser.ts'

export * from './client-browser.ts'

/** Connects to the device at an address, or to a twin in this process. Reads versions and modules, and refuses versions that it does not know. */
export async function connect(address: string | URL | InProcess, { ca, ...options }: DeviceOptions = {}): Promise<Device> {
  const isAddress = typeof address === 'string' || address instanceof URL
  if (!isAddress || options.transport !== undefined) return connectAnywhere(address, options)
  return connectAnywhere(address, { ...options, transport: nodeTransport(address, ca) })
}
