import { hostname, networkInterfaces } from 'node:os'
import type { DeviceNames } from './cert-names.ts'

/** What this machine is called, and where it can be reached. */
export function deviceNames(): DeviceNames {
  return { hostName: hostname(), listen: [], names: [], interfaces: networkInterfaces() }
}
