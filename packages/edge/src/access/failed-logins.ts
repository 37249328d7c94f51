import type { Clock, Log } from '@slotwire/core'
import type { MetricSource } from '@slotwire/service'
import { networkOf } from '../door/address.ts'

/** So many wrong logins of one client are answered as such; after that one more each time that `DRAIN_MS` have passed. */
export const FREE_FAILURES = 10
const DRAIN_MS = 6_000
/** Clients that are remembered; beyond these the one that failed longest ago is forgotten. */
export const MOST_CLIENTS = 4_096
/** Requests of one client that are known again when they are asked about twice. */
const REMEMBERED_REQUESTS = 8
const MS_PER_SECOND = 1_000

/** What a failed login is answered: 401, or 429 with the time after which another one may be tried. */
export type FailureVerdict = { readonly limited: false } | { readonly limited: true; readonly retryAfterSeconds: number }

interface Failures {
  /** Failures that have not drained away at `at`. */
  level: number
  at: number
  /** Whether the log was told that this client is limited, since its failures had drained away. */
  told: boolean
  readonly requests: { readonly key: string; readonly verdict: FailureVerdict }[]
}

/** Counts failed logins by client. Whoever has the right token is never asked about here. */
export class FailedLogins {
  readonly #clock: Clock
  readonly #log: Log
  /** In order of the last failure. */
  readonly #clients = new Map<string, Failures>()
  #failed = 0
  #limited = 0

  constructor(options: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = options.clock
    this.#log = options.log
  }

  /** A login of this address has failed. With a `request` that was asked about before the answer is the same, and nothing is counted. */
  add(address: string, request?: string): FailureVerdict {
    const failures = this.#failuresOf(networkOf(address))
    const before = failures.requests.find(({ key }) => key === request)
    if (before !== undefined) return before.verdict
    this.#failed++
    const verdict = this.#judge(failures, address)
    if (request !== undefined) {
      failures.requests.push({ key: request, verdict })
      if (failures.requests.length > REMEMBERED_REQUESTS) failures.requests.shift()
    }
    return verdict
  }

  /** How many clients are remembered now. */
  get size(): number {
    return this.#clients.size
  }

  readonly metrics: MetricSource = () => [
    {
      name: 'slotwire_logins_failed_total',
      help: 'Requests with wrong credentials, those that were limited included.',
      type: 'counter',
      samples: [{ value: this.#failed }],
    },
    {
      name: 'slotwire_logins_limited_total',
      help: 'Requests with wrong credentials that were refused with 429, because too many from the same address came before.',
      type: 'counter',
      samples: [{ value: this.#limited }],
    },
  ]

  #judge(failures: Failures, address: string): FailureVerdict {
    if (failures.level <= FREE_FAILURES - 1) {
      failures.level++
      this.#log.warn({ address }, 'a login failed')
      return { limited: false }
    }
    this.#limited++
    if (!failures.told)
      this.#log.warn({ address }, 'too many logins failed: further ones from there are refused for a while, and not logged')
    failures.told = true
    const waitMs = (failures.level - (FREE_FAILURES - 1)) * DRAIN_MS
    return { limited: true, retryAfterSeconds: Math.ceil(waitMs / MS_PER_SECOND) }
  }

  #failuresOf(client: string): Failures {
    const now = this.#clock.now()
    const failures = this.#clients.get(client) ?? { level: 0, at: now, told: false, requests: [] }
    failures.level = Math.max(0, failures.level - (now - failures.at) / DRAIN_MS)
    failures.at = now
    if (failures.level === 0) failures.told = false
    // To the end of the map: the first one is the one that failed longest ago.
    this.#clients.delete(client)
    this.#clients.set(client, failures)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MOST_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return failures
  }
}
