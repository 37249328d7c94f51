import type { Clock, Log, Timer } from '@slotwire/core'
import type { NonVolatileMemory } from '@slotwire/twin'

export const COUNTERS = [
  'ovp3v3',
  'uvp3v3',
  'ovp5v0',
  'uvp5v0',
  'ovp12v',
  'uvp12v',
  'ocp3v3',
  'ocp5v0',
  'ocp12v',
  'pmcTemperature',
  'totalOverload',
] as const
export type Counter = (typeof COUNTERS)[number]

/** The highest count; the counter stops there. */
export const MAX_COUNT = 65_535
/** Shortest time between two saves after events. A read value is saved before it is returned. */
export const COUNTER_SAVE_INTERVAL_MS = 1000

const ZERO = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Readonly<Record<Counter, number>>

/** The protection counters, in non-volatile memory; spec "Protection log". */
export class ProtectionCounters {
  /** Undefined until the first event or read. */
  #loaded: Record<Counter, number> | undefined
  #unsaved = false
  /** The memory could not be read: its counters are still to be added, and must not be overwritten. */
  #isUnread = false
  #savedMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(
    private readonly memory: NonVolatileMemory,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  count(name: Counter): void {
    if (this.#counts[name] === MAX_COUNT) return
    this.#counts[name]++
    this.#unsaved = true
    this.#saveSoon()
  }

  /** The counters and the module's own sum of them (the service adds them up itself), saved before this returns if the memory can be written. */
  read(): Readonly<Record<Counter | 'sum', number>> {
    this.save()
    const sum = COUNTERS.reduce((total, name) => total + this.#counts[name], 0)
    return { ...this.#counts, sum: Math.min(MAX_COUNT, sum) }
  }

  /** Writes pending changes. If the memory cannot be written, the next event or read tries again. */
  save(): void {
    this.#cancelTimer()
    if (!this.#unsaved) return
    this.#savedMs = this.clock.now()
    const counts = this.#counts
    if (this.#isUnread) return
    try {
      this.memory.save({ ...counts })
      this.#unsaved = false
    } catch (error) {
      this.log.error({ err: error }, 'the protection counters cannot be saved')
    }
  }

  /** The supply is lost, with everything that cannot be saved now. The next start reads the saved values. */
  powerDown(): void {
    this.save()
    this.#loaded = undefined
    this.#unsaved = false
  }

  /** Resets all counters. Throws the memory's error; then nothing has changed. */
  clear(): void {
    this.memory.clear()
    this.#loaded = { ...ZERO }
    this.#isUnread = false
    this.#unsaved = false
    this.#cancelTimer()
  }

  get #counts(): Record<Counter, number> {
    if (this.#loaded === undefined || this.#isUnread) {
      const saved = this.#load()
      const counted = this.#loaded ?? ZERO
      const sums = COUNTERS.map((name) => [name, Math.min(MAX_COUNT, saved[name] + counted[name])])
      this.#loaded = Object.fromEntries(sums) as Record<Counter, number>
    }
    return this.#loaded
  }

  #saveSoon(): void {
    if (this.#timer !== undefined) return
    const waitMs = this.#savedMs + COUNTER_SAVE_INTERVAL_MS - this.clock.now()
    if (waitMs <= 0) this.save()
    else this.#timer = this.clock.after(waitMs, () => this.save())
  }

  #cancelTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #load(): Record<Counter, number> {
    const content = this.memory.load()
    const wasUnread = this.#isUnread
    this.#isUnread = content.state === 'unreadable'
    if (content.state === 'unreadable') {
      if (!wasUnread) this.log.warn({ reason: content.reason }, 'the memory of the power module cannot be read')
      return { ...ZERO }
    }
    if (content.state === 'empty') return { ...ZERO }
    if (content.state === 'corrupt') {
      this.log.warn({ reason: content.reason }, 'the memory of the power module is corrupt: counting from 0')
      return { ...ZERO }
    }
    const counts = COUNTERS.map((name) => [name, isCount(content.document[name]) ? content.document[name] : 0])
    return Object.fromEntries(counts) as Record<Counter, number>
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT
}

/** Whether this firmware can have saved the document; a missing counter is 0. */
export function isCounts(document: Readonly<Record<string, unknown>>): boolean {
  return COUNTERS.every((name) => document[name] === undefined || isCount(document[name]))
}
