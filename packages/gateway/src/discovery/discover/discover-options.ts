import type { Clock, Log, Random } from '@slotwire/core'
import type { HostNetwork } from '../../network-interfaces.ts'

/** What looking for devices needs, and how it is done. */
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
