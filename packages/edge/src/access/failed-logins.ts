import type { Clock, Log } from '@slotwire/core'
import { type MetricSource, singleMetric } from '@slotwire/service'
import { networkOf } from '../door/address.ts'

/** Failed logins of one client that are answered with 401; then one more per `DRAIN_MS`. */
export const FREE_FAILURES = 10
const DRAIN_MS = 6_000
/** Most clients that are remembered; for one more, the one whose last failure is oldest is dropped. */
export const MAX_CLIENTS = 4_096
/** Requests per client that are recognized when they are repeated. */
const REMEMBERED_REQUESTS = 8
const MS_PER_SECOND = 1_000

/** Result of a failed login: 401, or 429 with the time until the next attempt. */
export type FailureVerdict = { readonly limited: false } | { readonly limited: true; readonly retryAfterSeconds: number }

interface Failures {
  /** Failures that have not drained at the time `at`. */
  level: number
  at: number
  /** Whether the limit was logged since the last failure drained. */
  isLogged: boolean
  readonly requests: { readonly key: string; readonly verdict: FailureVerdict }[]
}

/** Counts failed logins per client. Requests with the right token never come here. */
export class FailedLogins {
  /** Ordered by the last failure. */
  readonly #clients = new Map<string, Failures>()
  #failed = 0
  #limited = 0

  constructor(private readonly options: { readonly clock: Clock; readonly log: Log }) {}

  /** Records a failed login. A `request` that was seen before gets the same verdict and does not count. */
  add(address: string, request?: string): FailureVerdict {
    const failures = this.#failuresOf(networkOf(address))
    const before = failures.requests.find(({ key }) => key === request)
    if (before !== undefined) return before.verdict
    this.#failed++
    const verdict = this.#verdictOn(failures, address)
    if (request !== undefined) {
      failures.requests.push({ key: request, verdict })
      if (failures.requests.length > REMEMBERED_REQUESTS) failures.requests.shift()
    }
    return verdict
  }

  /** Number of clients remembered. */
  get size(): number {
    return this.#clients.size
  }

  readonly metrics: MetricSource = () => [
    singleMetric(
      'counter',
      'slotwire_logins_failed_total',
      'Requests with wrong credentials, limited ones included.',
      this.#failed,
    ),
    {
      name: 'slotwire_logins_limited_total',
      help: 'Requests with wrong credentials that were refused with 429, after too many from the same address.',
      type: 'counter',
      samples: [{ value: this.#limited }],
    },
  ]

  #verdictOn(failures: Failures, address: string): FailureVerdict {
    const { log } = this.options
    if (failures.level <= FREE_FAILURES - 1) {
      failures.level++
      log.warn({ address }, 'a login failed')
      return { limited: false }
    }
    this.#limited++
    if (!failures.isLogged)
      log.warn({ address }, 'too many failed logins: more from this address are refused for a while and not logged')
    failures.isLogged = true
    const waitMs = (failures.level - (FREE_FAILURES - 1)) * DRAIN_MS
    return { limited: true, retryAfterSeconds: Math.ceil(waitMs / MS_PER_SECOND) }
  }

  #failuresOf(client: string): Failures {
    const now = this.options.clock.now()
    const failures = this.#clients.get(client) ?? { level: 0, at: now, isLogged: false, requests: [] }
    failures.level = Math.max(0, failures.level - (now - failures.at) / DRAIN_MS)
    failures.at = now
    if (failures.level === 0) failures.isLogged = false
    // Move to the end of the map: the first entry has the oldest failure.
    this.#clients.delete(client)
    this.#clients.set(client, failures)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return failures
  }
}
