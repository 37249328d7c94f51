import { hostname, networkInterfaces } from 'node:os'
import {
  DEFAULT_SETTINGS,
  describeCertificate,
  LAST_GOOD_FILE,
  namesNotCovered,
  readSettingsFile,
  SETTINGS_FILE,
  type ServerNamesOptions,
  type StoredCertificates,
  serverNames,
} from '@slotwire/network'

/** Names that this device would have if the service started now. */
export type DeviceNames = Omit<ServerNamesOptions, 'announcedHostName'>

/** The output of `cert names`. */
interface ShownNames {
  readonly hosts: readonly string[]
  readonly addresses: readonly string[]
  /** Names of the device that the certificate is not valid for. */
  readonly notCovered: readonly string[]
}

/** The current names of a device with this state folder on this machine. */
export function deviceNames(state: string): DeviceNames {
  // Like the service: ignore a file with mistakes.
  const files = [SETTINGS_FILE, LAST_GOOD_FILE].map((file) => readSettingsFile(state, file))
  const { hostName, listen, proxies, names } = files.find(({ problems }) => problems.length === 0)?.settings ?? DEFAULT_SETTINGS
  return {
    hostName: hostName ?? hostname(),
    // A proxy may listen at any address of this host.
    listen: proxies.length === 0 ? listen : ['::'],
    names,
    interfaces: networkInterfaces(),
  }
}

export function shownNames({ presented }: StoredCertificates, device: DeviceNames, now: number): ShownNames {
  if (presented === undefined) return { hosts: [], addresses: [], notCovered: [] }
  const { hosts, addresses } = describeCertificate(presented.leaf, now).names
  return { hosts, addresses, notCovered: namesNotCovered(presented.leaf, serverNames(device)) }
}

export function formatNames({ hosts, addresses, notCovered }: ShownNames): string {
  const names = [...hosts, ...addresses]
  const lines = names.length === 0 ? ['The certificate is valid for no name.'] : names
  const missing = notCovered.length === 0 ? [] : [`Not valid for ${notCovered.join(', ')}.`]
  return `${[...lines, ...missing].join('\n')}\n`
}
