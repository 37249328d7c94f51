import { type Clock, isoTime, isRecord, type Log, Mutex, SlotwireError, type Timer, type WallTime } from '@slotwire/core'
import { SlotNeeded } from '@slotwire/driver'
import type { ReadWatched, Watchable } from '@slotwire/service'
import type { Watch } from './stream-query.ts'

/** Everything is sent again after so long, in milliseconds. */
const FULL_EVERY_MS = 60_000
/** Wait before the first reading, in milliseconds: shows whether the time of a twin moves. */
const FIRST_MS = 10
/** A reading that is due within this time counts as due, in milliseconds: timers are late by a different time each. */
const TOLERANCE_MS = 5

/** Sends a value message; false if the reader cannot take it now. */
export type SendValue = (message: object) => boolean

interface Watcher {
  readonly intervalMs: number
  readonly send: SendValue
  dueMs: number
  fullDueMs: number
  /** What the reader has; undefined: nothing, or an error. */
  sent: WatchedAnswer | undefined
  error: string | undefined
}

/** A value as read, or the error instead. */
type WatchedAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly status: number; readonly code: string; readonly message: string } }

export interface WatchesOptions {
  /** Real time: intervals count in it. */
  readonly clock: Clock
  /** Time of the device. While it stands still nothing is read. */
  readonly deviceTime: Clock
  readonly wallTime: WallTime
  readonly read: ReadWatched
  readonly log: Log
}

/** Reads what subscribers watch: each resource once for all of them, and a slot's resources one after the other. */
export class Watches {
  readonly #resources = new Map<string, WatchedResource>()
  readonly #slots = new Map<number, Mutex>()

  constructor(private readonly options: WatchesOptions) {}

  /** Calls `send` with value messages until the returned function is called. */
  add({ watched, intervalMs }: Watch, send: SendValue): () => void {
    const mutex = this.#slots.get(watched.slot) ?? new Mutex()
    this.#slots.set(watched.slot, mutex)
    const resource = this.#resources.get(watched.path) ?? new WatchedResource(watched, mutex, this.options)
    this.#resources.set(watched.path, resource)
    const remove = resource.add(intervalMs, send)
    return () => {
      if (remove()) this.#resources.delete(watched.path)
    }
  }
}

class WatchedResource {
  readonly #watchers = new Set<Watcher>()
  #timer: Timer | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #isReading = false
  #deviceMs: number

  constructor(
    private readonly watched: Watchable,
    private readonly mutex: Mutex,
    private readonly options: WatchesOptions,
  ) {
    this.#deviceMs = options.deviceTime.now()
  }

  /** The returned function removes the watcher, and returns whether it was the last. */
  add(intervalMs: number, send: SendValue): () => boolean {
    const now = this.options.clock.now()
    const watcher: Watcher = { intervalMs, send, dueMs: now, fullDueMs: now, sent: undefined, error: undefined }
    this.#watchers.add(watcher)
    this.#arm(FIRST_MS)
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return false
      this.#timer?.cancel()
      return true
    }
  }

  #arm(delayMs: number): void {
    const dueMs = this.options.clock.now() + delayMs
    if (dueMs >= this.#dueMs) return
    this.#timer?.cancel()
    this.#dueMs = dueMs
    this.#timer = this.options.clock.after(delayMs, () => this.#onDue())
  }

  #onDue(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
    this.#arm(Math.min(...[...this.#watchers].map(({ intervalMs }) => intervalMs)))
    const { clock, deviceTime, log } = this.options
    const deviceMs = deviceTime.now()
    const stands = deviceTime !== clock && deviceMs === this.#deviceMs
    this.#deviceMs = deviceMs
    if (stands || this.#isReading) return
    this.#isReading = true
    this.mutex
      .run(() => this.#read())
      .then(
        (reading) => reading === undefined || this.#deliver(reading),
        (err: unknown) => log.error({ err, watch: this.watched.path }, 'a watched value could not be delivered'),
      )
      .finally(() => {
        this.#isReading = false
      })
      .catch(() => undefined)
  }

  /** Undefined: the module is busy. */
  async #read(): Promise<WatchedAnswer | undefined> {
    if (this.#watchers.size === 0) return undefined
    try {
      return { value: await this.options.read(this.watched) }
    } catch (error) {
      if (error instanceof SlotNeeded) return undefined
      if (!(error instanceof SlotwireError)) throw error
      // Another reading of the spare time waits already.
      if (error.code === 'queue-full') return undefined
      return { error: { status: error.status, code: error.code, message: error.message } }
    }
  }

  #deliver(reading: WatchedAnswer): void {
    const { clock, wallTime } = this.options
    const now = clock.now()
    const head = { kind: 'value', watch: this.watched.path, at: isoTime(wallTime()) }
    for (const watcher of this.#watchers) {
      if (now < watcher.dueMs - TOLERANCE_MS) continue
      watcher.dueMs = Math.max(watcher.dueMs + watcher.intervalMs, now)
      if ('error' in reading) sendError(watcher, head, reading)
      else sendValue(watcher, head, reading, now)
    }
  }
}

function sendError(watcher: Watcher, head: object, { error }: Extract<WatchedAnswer, { error: object }>): void {
  if (watcher.error === error.code || !watcher.send({ ...head, error })) return
  watcher.error = error.code
  watcher.sent = undefined
}

function sendValue(watcher: Watcher, head: object, reading: Extract<WatchedAnswer, { value: unknown }>, now: number): void {
  const { sent } = watcher
  const isFull = sent === undefined || 'error' in sent || now >= watcher.fullDueMs
  const value = isFull ? reading.value : changesOf(sent.value, reading.value)
  if (value === undefined) return
  if (!watcher.send({ ...head, full: isFull, value })) {
    // The reader has lost the link to the values before.
    watcher.sent = undefined
    return
  }
  if (isFull) watcher.fullDueMs = now + FULL_EVERY_MS
  watcher.error = undefined
  watcher.sent = reading
}

/** What changed, as a JSON merge patch (RFC 7396); undefined: nothing. Lists count as a whole. No reply of a contract has a null. */
export function changesOf(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after
  const changes: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = name in after ? changesOf(before[name], after[name]) : null
    if (change !== undefined) changes[name] = change
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}
