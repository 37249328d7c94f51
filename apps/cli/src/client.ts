// Exports for applications: `import { connect } from 'slotwire/client'`; docs/guide/client.md.
import { type ConnectOptions, connectWith, type DeviceOf, type InProcess } from '@slotwire/client'
import * as clients from '@slotwire/modules/clients'

export type {
  Alert,
  CallOptions,
  ConnectionChange,
  ConnectOptions,
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

/** Connects to the device at an address, or to a twin in this process. Reads versions and modules, and refuses versions that it does not know. */
export function connect(address: string | URL | InProcess, options?: ConnectOptions): Promise<Device> {
  return connectWith(clients, address, options)
}
