import type { Clock, Timer } from '@slotwire/core'
import type { Metric, MetricData, MetricValue } from './metric.ts'

export interface FilterOptions {
  /** Numbers that changed by less than this part of the last sent value stay: 0 sends every change. */
  readonly deadBand: number
  /** Milliseconds between two messages of one metric. The last value is always sent. */
  readonly pauseMs: number
}

/** Decides which changes of values are sent, and when. */
export class ValueFilter {
  readonly #sent = new Map<string, { readonly value: MetricData; readonly at: number }>()
  readonly #unsent = new Map<string, MetricValue>()
  #timer: Timer | undefined

  constructor(
    private readonly options: FilterOptions,
    private readonly clock: Clock,
    private readonly send: (changes: readonly MetricValue[]) => void,
  ) {}

  add(values: readonly MetricValue[]): void {
    const now = this.clock.now()
    const due: MetricValue[] = []
    for (const entry of values) {
      const { path } = entry.metric
      const sent = this.#sent.get(path)
      if (sent !== undefined && !this.#differs(sent.value, entry)) this.#unsent.delete(path)
      else if (sent !== undefined && now - sent.at < this.options.pauseMs) this.#unsent.set(path, entry)
      else due.push(entry)
    }
    this.#emit(due, now)
    if (this.#unsent.size > 0) this.#timer ??= this.clock.after(this.options.pauseMs, () => this.#release())
  }

  /** Forgets a metric that is gone. */
  forget({ path }: Metric): void {
    this.#sent.delete(path)
    this.#unsent.delete(path)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#unsent.clear()
  }

  #release(): void {
    this.#timer = undefined
    this.add([...this.#unsent.values()])
  }

  #emit(changes: readonly MetricValue[], at: number): void {
    for (const { metric, value } of changes) {
      this.#unsent.delete(metric.path)
      this.#sent.set(metric.path, { value, at })
    }
    if (changes.length > 0) this.send(changes)
  }

  #differs(before: MetricData, { value }: MetricValue): boolean {
    if (typeof before !== 'number' || typeof value !== 'number') return before !== value
    return before !== value && Math.abs(value - before) >= this.options.deadBand * Math.abs(before)
  }
}
