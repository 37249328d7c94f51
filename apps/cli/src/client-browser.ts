// `slotwire/client` in browsers. In Node.js client.ts adds the certificate authority.
import { ClientError, type ConnectOptions, connectWith, type DeviceOf, type InProcess } from '@slotwire/client'
import * as clients from '@slotwire/modules/clients'

export type {
  Alert,
  CallOptions,
  ConnectionChange,
  ErrorKind,
  Gap,
  Inbox,
  Interval,
  JournalRecord,
  Lease,
  LeaseOptions,
  PresentModule,
  SessionChange,
  SetupResult,
} from '@slotwire/client'
export { ClientError, isGap } from '@slotwire/client'

/** A device: `device.io(3)`, `device.power()`, `device.bmc()`, and what concerns all modules. */
export type Device = DeviceOf<typeof clients>

export interface DeviceOptions extends ConnectOptions {
  /** The certificate authority of the device (PEM): nothing else is trusted. Only in Node.js: a browser has its own list. */
  readonly ca?: string | undefined
}

/** Connects to the device at an address, or to a twin in this process. Reads versions and modules, and refuses versions that it does not know. */
export async function connect(address: string | URL | InProcess, { ca, ...options }: DeviceOptions = {}): Promise<Device> {
  if (ca !== undefined) throw new ClientError('a browser trusts its own authorities: leave out ca', { kind: 'invalid' })
  return connectWith(clients, address, options)
}
