import { hostname, networkInterfaces } from 'node:os'
import { DEFAULT_SETTINGS, LAST_GOOD_FILE, readSettingsFile, SETTINGS_FILE } from '@slotwire/gateway'
import type { DeviceNames } from './cert-names.ts'

/** What a device with this state folder is called on this machine now; `services` are the names of those that there are. */
export function deviceNames(state: string, services: readonly string[]): DeviceNames {
  // As the service does it: what is broken does not count.
  const files = [SETTINGS_FILE, LAST_GOOD_FILE].map((file) => readSettingsFile(state, file, services))
  const { hostName, listen, proxies, names } = files.find(({ problems }) => problems.length === 0)?.settings ?? DEFAULT_SETTINGS
  return {
    hostName: hostName ?? hostname(),
    // A proxy may listen anywhere on this host.
    listen: proxies.length === 0 ? listen : ['::'],
    names,
    interfaces: networkInterfaces(),
  }
}
