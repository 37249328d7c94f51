import type { DiscoverOptions } from './discover-options.ts'
import type { FoundDevice } from './found-device.ts'

/**
 * Looks for devices in the networks of this host, and whether their services can be used; spec "Discovery (multicast DNS)". Throws
 * `MulticastUnavailable`.
 */
export async function discover(options: DiscoverOptions): Promise<readonly FoundDevice[]> {
  // Whoever only serves pays nothing for it.
  const { findDevices } = await import('./find-devices.ts')
  return findDevices(options)
}
