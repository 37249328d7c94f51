import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ClientError, type Gap, type WatchUpdate } from '@slotwire/client'
import { type Clock } from '@slotwire/core'
import type { Link } from './link.ts'
import { reasonOf } from './reason.ts'

/** A value of the device, with its age. */
export interface ReadingState<Value> {
  /** The last value; undefined before the first. */
  readonly value: Value | undefined
  /** Not read yet since it is used at this interval: it may have been true long ago. */
  readonly isOld: boolean
  /** Older than its interval, or the module cannot be read: show it grey, with its age. */
  readonly isStale: boolean
  /** Milliseconds since it was true; 0 while it is kept up to date. */
  readonly ageMs: number
  /** Why the module cannot be read now. */
  readonly error: string | undefined
}

interface LastAnswer<Value> {
  readonly value: Value | undefined
  readonly isOld: boolean
  /** Time of the clock at which it failed. */
  readonly failedMs: number
  readonly error: string | undefined
}

/** Beyond its interval a value may be late by so much, in milliseconds. */
const GRACE_MS = 750
const NOTHING: LastAnswer<never> = { value: undefined, isOld: true, failedMs: 0, error: undefined }

/** Reads a value at an interval, until `end`. */
type Reads<Value> = (everyMs: number, end: AbortSignal) => AsyncIterable<WatchUpdate<Value> | Gap>

/** One value of the device for all components that show it: read at the smallest interval in use, and not at all without a user. */
export class SharedReading<Value> {
  readonly shown: ReadonlySignal<ReadingState<Value>>
  readonly #last = signal<LastAnswer<Value>>(NOTHING)
  readonly #everyMs = signal(Number.POSITIVE_INFINITY)
  readonly #users = new Map<object, number>()
  #end = new AbortController()

  constructor(
    private readonly reads: Reads<Value>,
    private readonly clock: Clock,
    private readonly link: Pick<Link, 'state' | 'heard'>,
    now: ReadonlySignal<number>,
  ) {
    this.shown = computed(() => {
      const { value, isOld, failedMs, error } = this.#last.value
      const { isConnected, lostAtMs } = link.state.value
      if (error === undefined && isConnected) return { value, isOld, isStale: false, ageMs: 0, error }
      const ageMs = Math.max(0, now.value - (error === undefined ? lostAtMs : failedMs))
      return { value, isOld, isStale: error !== undefined || ageMs > this.#everyMs.value + GRACE_MS, ageMs, error }
    })
  }

  /** Keeps the value up to date until the returned function is called. */
  use(everyMs: number): () => void {
    const user = {}
    this.#users.set(user, everyMs)
    this.#adjust()
    return () => {
      this.#users.delete(user)
      this.#adjust()
    }
  }

  get isUsed(): boolean {
    return this.#users.size > 0
  }

  #adjust(): void {
    const everyMs = Math.min(...this.#users.values())
    if (everyMs === this.#everyMs.peek()) return
    if (everyMs < this.#everyMs.peek()) this.#last.value = { ...this.#last.peek(), isOld: true }
    const before = this.#end
    this.#end = new AbortController()
    this.#everyMs.value = everyMs
    if (this.isUsed) void this.#follow(everyMs, this.#end.signal)
    before.abort()
  }

  async #follow(everyMs: number, end: AbortSignal): Promise<void> {
    try {
      for await (const update of this.reads(everyMs, end)) {
        if (end.aborted) return
        if (update.kind === 'error') this.#fail(update.error)
        if (update.kind !== 'value') continue
        this.link.heard()
        this.#last.value = { value: update.value, isOld: false, failedMs: 0, error: undefined }
      }
    } catch (error) {
      if (!end.aborted && error instanceof ClientError) this.#fail(error)
    }
  }

  #fail(reason: ClientError): void {
    const { failedMs, error: before, ...known } = this.#last.peek()
    this.#last.value = { ...known, failedMs: before === undefined ? this.clock.now() : failedMs, error: reasonOf(reason) }
  }
}
