import type { Clock, Log, Random } from '@slotwire/core'
import type { HostNetwork } from '../../network-interfaces.ts'
import type { FoundDevice } from './found-device.ts'

export interface DiscoverOptions {
  readonly network: HostNetwork
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  /** How long is listened; 3 s unless told otherwise. */
  readonly timeoutMs?: number
  /** Shown to doors whose certificate is trusted, and to no others unless `insecure`. */
  readonly token?: string
  /** PEM of certificate authorities to trust beside the usual ones. */
  readonly authorities?: string
  /** Shows the token to everybody who announces a device, also unencrypted. */
  readonly insecure?: boolean
}

/**
 * Looks for devices in the networks of this host, and whether their services can be used; spec "Discovery (multicast DNS)". Throws
 * `MulticastUnavailable`.
 */
export async function discover(options: DiscoverOptions): Promise<readonly FoundDevice[]> {
  // Whoever only serves pays nothing for it.
  const { findDevices } = await import('./find-devices.ts')
  return findDevices(options)
}
