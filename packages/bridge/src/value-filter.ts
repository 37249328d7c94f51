import type { Clock, Timer } from '@slotwire/core'
import type { Metric, MetricValue, Value } from './metric.ts'

export interface FilterOptions {
  /** Numbers that changed by less than this part of the last sent value stay: 0 sends every change. */
  readonly deadBand: number
  /** Milliseconds between two messages of one metric. The last value is always sent. */
  readonly pauseMs: number
}

interface Sent {
  value: Value
  at: number
}

/** Decides which changes of values are sent, and when. */
export class ValueFilter {
  readonly #options: FilterOptions
  readonly #clock: Clock
  readonly #send: (changes: readonly MetricValue[]) => void
  readonly #sent = new Map<string, Sent>()
  readonly #held = new Map<string, MetricValue>()
  #timer: Timer | undefined

  constructor(options: FilterOptions, clock: Clock, send: (changes: readonly MetricValue[]) => void) {
    this.#options = options
    this.#clock = clock
    this.#send = send
  }

  add(values: readonly MetricValue[]): void {
    const now = this.#clock.now()
    const due: MetricValue[] = []
    for (const entry of values) {
      const { path } = entry.metric
      const sent = this.#sent.get(path)
      if (sent !== undefined && !this.#differs(sent.value, entry)) this.#held.delete(path)
      else if (sent !== undefined && now - sent.at < this.#options.pauseMs) this.#held.set(path, entry)
      else due.push(entry)
    }
    this.#emit(due, now)
    if (this.#held.size > 0) this.#timer ??= this.#clock.after(this.#options.pauseMs, () => this.#release())
  }

  /** Forgets a metric that is gone. */
  forget({ path }: Metric): void {
    this.#sent.delete(path)
    this.#held.delete(path)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#held.clear()
  }

  #release(): void {
    this.#timer = undefined
    this.add([...this.#held.values()])
  }

  #emit(changes: readonly MetricValue[], at: number): void {
    for (const { metric, value } of changes) {
      this.#held.delete(metric.path)
      this.#sent.set(metric.path, { value, at })
    }
    if (changes.length > 0) this.#send(changes)
  }

  #differs(before: Value, { value }: MetricValue): boolean {
    if (typeof before !== 'number' || typeof value !== 'number') return before !== value
    return before !== value && Math.abs(value - before) >= this.#options.deadBand * Math.abs(before)
  }
}
