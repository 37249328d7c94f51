import { isRecord } from '@slotwire/core'
import { ClientError, kindOfStatus } from '../client-error.ts'
import type { HttpClient } from '../http-client.ts'
import type { Feed } from './feed.ts'

/** An interval: milliseconds, or as in `250ms`, `1s`, `5m`. */
export type Interval = number | string

/** Failures that the next read has, too. */
const FINAL = new Set(['credentials', 'invalid'])
const MIN_INTERVAL_MS = 50
const MAX_INTERVAL_MS = 3_600_000
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Milliseconds of an interval. Throws `invalid` with the bounds. */
export function intervalMs(every: Interval): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|min|m|h)$/.exec(String(every)) ?? []
  const ms = typeof every === 'number' ? every : Number(number) * (UNITS[unit] ?? Number.NaN)
  if (ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS) return Math.round(ms)
  throw new ClientError(`every is out of range: ${MIN_INTERVAL_MS} ms to 1 h, as in '250ms'`, { kind: 'invalid' })
}

/** An answer to a read that is followed, or why the module cannot be read now. */
export type WatchUpdate<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: ClientError }

/** Gets the values of a read, or why there are no more. */
export interface Follower {
  onValue(value: unknown): void
  /** The module cannot be read now. */
  onError?(error: ClientError): void
  onFailure(error: unknown): void
  /** An answer was lost, and the device may not give it again. */
  onLost?(): void
}

/** A read of the API that several users repeat: one request for all, at the smallest interval in use. */
interface Poll {
  readonly users: Map<Follower, number>
  readonly end: AbortController
  /** Ends the pause before the next request. */
  wake(): void
}

/** Follows values of the device: from its stream, else by reading them again and again. */
export class ValueReads {
  readonly #http: HttpClient
  readonly #feed: Feed
  readonly #polls = new Map<string, Poll>()
  /** What the stream sent last, by resource, while a reader follows it. */
  readonly #known = new Map<string, { value: unknown; users: number }>()

  constructor(http: HttpClient, feed: Feed) {
    this.#http = http
    this.#feed = feed
  }

  /**
   * Calls a follower with the answer of a read, first and when it changes, until the returned function is called. `resource` as in
   * `io/3/input/values`; `path` is that of the request.
   */
  follow(read: { readonly resource: string; readonly path: string }, everyMs: number, follower: Follower): () => void {
    if (!this.#http.extensions || !this.#http.streams) return this.poll(read.path, everyMs, follower)
    // The stream sends changes only: who comes later begins with what the others have.
    const known = this.#known.get(read.resource) ?? { value: undefined, users: 0 }
    this.#known.set(read.resource, known)
    known.users++
    let { value } = known
    if (value !== undefined) follower.onValue(value)
    const remove = this.#feed.add({
      watch: { resource: read.resource, everyMs },
      onMessage: (message) => {
        if (message.kind !== 'value' || message['watch'] !== read.resource) return
        if ('error' in message) {
          // The next value is full.
          value = known.value = undefined
          follower.onError?.(errorIn(message['error'], read.path))
          return
        }
        if (value === undefined && message['full'] !== true) return
        value = message['full'] === true ? message['value'] : merged(value, message['value'])
        known.value = value
        follower.onValue(value)
      },
      onFailure: (error) => follower.onFailure(error),
    })
    return () => {
      remove()
      known.users--
      if (known.users === 0 && this.#known.get(read.resource) === known) this.#known.delete(read.resource)
    }
  }

  /** Calls `onValue` with each answer to a GET, until the returned function is called. Most failures are passed over: the next read comes. */
  poll(path: string, everyMs: number, follower: Follower): () => void {
    const known = this.#polls.get(path)
    const poll = known ?? { users: new Map<Follower, number>(), end: new AbortController(), wake: () => undefined }
    poll.users.set(follower, everyMs)
    if (known === undefined) {
      this.#polls.set(path, poll)
      void this.#repeat(path, poll)
    } else poll.wake()
    return () => {
      poll.users.delete(follower)
      if (poll.users.size > 0) return
      poll.end.abort()
      poll.wake()
      if (this.#polls.get(path) === poll) this.#polls.delete(path)
    }
  }

  async #repeat(path: string, polled: Poll): Promise<void> {
    const { clock, closing } = this.#http
    const { users, end } = polled
    while (!closing.aborted && !end.signal.aborted) {
      const begun = clock.now()
      const pollMs = Math.min(...users.values())
      const pause = new AbortController()
      polled.wake = () => pause.abort()
      try {
        const deadlineMs = Math.max(pollMs, this.#http.deadlineMs)
        const value = await this.#http.request({ method: 'GET', path, fresh: true, signal: end.signal, deadlineMs })
        for (const user of [...users.keys()]) user.onValue(value)
      } catch (error) {
        // Otherwise the last user has left.
        if (error instanceof ClientError)
          for (const user of [...users.keys()]) {
            if (error.mayBeDone) user.onLost?.()
            if (FINAL.has(error.kind)) user.onFailure(error)
            else user.onError?.(error)
          }
      }
      await clock.sleep(Math.max(0, begun + pollMs - clock.now()), pause.signal).catch(() => undefined)
    }
  }
}

/** The error of a value message, as that of the read. */
function errorIn(error: unknown, path: string): ClientError {
  const { status, code, message } = isRecord(error) ? error : {}
  const request = `GET ${path}`
  const kind = kindOfStatus(Number(status))
  return new ClientError(`${request}: ${String(message)}`, {
    kind,
    status: Number(status),
    code: String(code),
    request,
    canRetry: true,
  })
}

/** Applies a JSON merge patch (RFC 7396). */
export function merged(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const result = new Map(Object.entries(isRecord(before) ? before : {}))
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) result.delete(name)
    else result.set(name, merged(result.get(name), change))
  }
  return Object.fromEntries(result)
}
