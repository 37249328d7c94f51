// `import { discover, firstTrust } from 'slotwire/discover'`, in Node.js; docs/guide/client.md.
import { hostname, networkInterfaces } from 'node:os'
import { SystemClock, systemRandom } from '@slotwire/core'
import { type FoundDevice, discover as search } from '@slotwire/network/discover'

export type { FoundDevice, FoundDoor, FoundService } from '@slotwire/network/discover'
export { type FirstTrustOptions, firstTrust, type ShownAuthority } from './client/first-trust.ts'

export interface SearchOptions {
  /** Milliseconds to listen; 3000 by default. */
  readonly timeoutMs?: number | undefined
  /** Sent to doors with a trusted certificate, to see whether their services work. */
  readonly token?: string | undefined
  /** PEM of authorities to trust besides the usual ones. */
  readonly ca?: string | undefined
  /** Ends the search; it rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

const TIMEOUT_MS = 3000

/** Searches the networks of this machine for devices, by mDNS, and tests their services; spec "Discovery (multicast DNS)". */
export function discover({ timeoutMs = TIMEOUT_MS, token, ca, signal }: SearchOptions = {}): Promise<readonly FoundDevice[]> {
  return search({
    network: { interfaces: networkInterfaces, hostName: hostname },
    clock: new SystemClock(),
    random: systemRandom,
    timeoutMs,
    signal,
    token,
    authorities: ca,
  })
}
