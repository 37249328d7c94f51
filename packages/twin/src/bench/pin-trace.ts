import { checked, decimal, integer } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { CircuitNode } from '../circuit/analysis/circuit-node.ts'
import type { Terminal } from '../circuit/terminal.ts'
import { pointsOf, type TracePoint } from '../waveform/points.ts'
import { voltageRange } from './voltage-range.ts'

/** Default number of wiring changes that a trace keeps. */
export const DEFAULT_TRACE_CHANGES = 1000
const CHANGES = integer({ min: 1, max: 100_000 })
/** Number of intervals in one call. */
const INTERVALS = integer({ min: 1, max: 10_000 })

export interface TraceOptions {
  /** How many changes of the pin's circuit the trace keeps; it drops older ones. 1…100000, default 1000. */
  readonly changes?: number
  /** Called before it drops the oldest change; `forget` makes room. */
  readonly onFull?: () => void
}

/** Lowest and highest voltage of a pin in [`fromMs`, `toMs`). */
export interface TraceSample {
  readonly fromMs: number
  readonly toMs: number
  readonly lowVolts: number
  readonly highVolts: number
}

/** Records a pin's voltage as the sequence of its circuits, each a function of time. */
export class PinTrace {
  readonly slot: number
  readonly pin: number
  readonly #clock: Pick<Clock, 'now'>
  readonly #changes: number
  /** In order of time. */
  readonly #nodes: { readonly sinceMs: number; readonly node: CircuitNode }[] = []
  readonly #onFull: (() => void) | undefined
  readonly #unsubscribe: () => void
  #stoppedMs: number | undefined

  constructor(terminal: Terminal, clock: Pick<Clock, 'now'>, { changes = DEFAULT_TRACE_CHANGES, onFull }: TraceOptions) {
    const [slot, pin] = terminal.name.split('/').map(Number)
    this.slot = slot ?? 0
    this.pin = pin ?? 0
    this.#onFull = onFull
    this.#changes = checked('changes', CHANGES, changes)
    this.#clock = clock
    this.#add(terminal.node)
    this.#unsubscribe = terminal.onChange(() => this.#add(terminal.node))
  }

  /** Twin time at which the data begins. */
  get sinceMs(): number {
    return this.#nodes[0]?.sinceMs ?? 0
  }

  /** Twin time at which the data ends: now, or when the trace was stopped. */
  get untilMs(): number {
    return this.#stoppedMs ?? this.#clock.now()
  }

  /**
   * The lowest and the highest voltage on each of `count` (1…10000) equal intervals, pulses of any length included. Throws `RangeError` for
   * a time outside `sinceMs`…`untilMs`.
   */
  samples(fromMs: number, toMs: number, count: number): readonly TraceSample[] {
    this.#checkTime(fromMs, toMs)
    checked('count', INTERVALS, count)
    const stepMs = (toMs - fromMs) / count
    const edge = (index: number): number => (index === count ? toMs : fromMs + index * stepMs)
    return Array.from({ length: count }, (_, index) => this.#sample(edge(index), edge(index + 1)))
  }

  /**
   * The voltage in [`fromMs`, `toMs`) as points: every edge, and on curves the ends of straight lines that are within 10 mV of them. Throws
   * `RangeError` for a time outside `sinceMs`…`untilMs`.
   */
  *points(fromMs: number, toMs: number): Generator<TracePoint> {
    this.#checkTime(fromMs, toMs)
    // A copy: it may record and drop changes meanwhile.
    const pieces = this.#nodes.slice(this.#indexAt(fromMs))
    for (const [index, { node, sinceMs }] of pieces.entries()) {
      if (sinceMs >= toMs) return
      yield* pointsOf(node, Math.max(fromMs, sinceMs), Math.min(toMs, pieces[index + 1]?.sinceMs ?? toMs))
    }
  }

  /** Drops the data before a moment. */
  forget(beforeMs: number): void {
    const first = this.#indexAt(beforeMs)
    this.#nodes.splice(0, first)
    const [node] = this.#nodes
    if (node !== undefined && node.sinceMs < beforeMs) this.#nodes[0] = { ...node, sinceMs: beforeMs }
  }

  /** Stops recording; keeps the data. */
  stop(): void {
    this.#stoppedMs ??= this.#clock.now()
    this.#unsubscribe()
  }

  #checkTime(fromMs: number, toMs: number): void {
    const max = this.untilMs
    checked('fromMs', decimal({ unit: 'ms', min: this.sinceMs, max }), fromMs)
    checked('toMs', decimal({ unit: 'ms', min: fromMs, max }), toMs)
  }

  #sample(fromMs: number, toMs: number): TraceSample {
    let [lowVolts, highVolts] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let index = this.#indexAt(fromMs); index < this.#nodes.length; index++) {
      const piece = this.#nodes[index]
      if (piece === undefined || (piece.sinceMs >= toMs && piece.sinceMs > fromMs)) break
      const endMs = Math.min(toMs, this.#nodes[index + 1]?.sinceMs ?? toMs)
      const [lowest, highest] = voltageRange(piece.node, Math.max(fromMs, piece.sinceMs), endMs)
      lowVolts = Math.min(lowVolts, lowest)
      highVolts = Math.max(highVolts, highest)
    }
    return { fromMs, toMs, lowVolts, highVolts }
  }

  /** Index of the last node that began at or before a moment. */
  #indexAt(atMs: number): number {
    let low = 0
    let high = this.#nodes.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#nodes[middle]?.sinceMs ?? Number.POSITIVE_INFINITY) <= atMs) low = middle
      else high = middle
    }
    return low
  }

  #add(node: CircuitNode): void {
    const sinceMs = this.#clock.now()
    // Drop a circuit that existed for no time at all.
    if (this.#nodes.at(-1)?.sinceMs === sinceMs) this.#nodes.pop()
    if (this.#nodes.length >= this.#changes) this.#onFull?.()
    this.#nodes.push({ sinceMs, node })
    if (this.#nodes.length > this.#changes) this.#nodes.shift()
  }
}
