import { checked, decimal, integer } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import type { CircuitNode } from '../circuit/analysis/circuit-node.ts'
import type { Terminal } from '../circuit/terminal.ts'
import { NANOSECOND_MS, pointsOf, type TracePoint } from '../waveform/points.ts'
import { voltageRange } from './voltage-range.ts'

/** Default number of wiring changes that a trace keeps. */
export const DEFAULT_TRACE_CHANGES = 1000
const CHANGES = integer({ min: 1, max: 100_000 })
const MS_PER_SECOND = 1000
/** Most points that one measurement reads. */
const MAX_POINTS = 1_000_000
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

/** A moment at which the voltage passes a threshold. */
export interface TraceEdge {
  readonly atMs: number
  /** Whether the voltage is above the threshold from then on. */
  readonly rises: boolean
}

/** The part of a trace that is measured. */
export interface TraceWindow {
  /** Default: all that was recorded. */
  readonly fromMs?: number
  readonly toMs?: number
  /** What divides low from high, in volts. Default: the middle between the lowest and the highest voltage. */
  readonly thresholdVolts?: number
}

/** Records a pin's voltage as the sequence of its circuits, each a function of time. */
export class PinTrace {
  readonly slot: number
  readonly pin: number
  readonly #changes: number
  /** In order of time. */
  readonly #nodes: { readonly sinceMs: number; readonly node: CircuitNode }[] = []
  readonly #onFull: (() => void) | undefined
  readonly #unsubscribe: () => void
  #stoppedMs: number | undefined

  constructor(
    terminal: Terminal,
    private readonly clock: Pick<Clock, 'now'>,
    { changes = DEFAULT_TRACE_CHANGES, onFull }: TraceOptions,
  ) {
    const [slot, pin] = terminal.name.split('/').map(Number)
    this.slot = slot ?? 0
    this.pin = pin ?? 0
    this.#onFull = onFull
    this.#changes = checked('changes', CHANGES, changes)
    this.#add(terminal.node)
    this.#unsubscribe = terminal.onChange(() => this.#add(terminal.node))
  }

  /** Twin time at which the data begins. */
  get sinceMs(): number {
    return this.#nodes[0]?.sinceMs ?? 0
  }

  /** Twin time at which the data ends: now, or when the trace was stopped. */
  get untilMs(): number {
    return this.#stoppedMs ?? this.clock.now()
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

  /** The moments at which the voltage passes a threshold. Throws `RangeError` for more than a million points, or another time than `sinceMs`…`untilMs`. */
  edges(window: TraceWindow = {}): readonly TraceEdge[] {
    const { fromMs = this.sinceMs, toMs = this.untilMs, thresholdVolts = this.#middle(fromMs, toMs) } = window
    const edges: TraceEdge[] = []
    let before: TracePoint | undefined
    let count = 0
    checked('thresholdVolts', decimal({ unit: 'V' }), thresholdVolts)
    // An edge at the beginning counts: the point before it is a nanosecond earlier.
    for (const point of this.points(Math.max(this.sinceMs, fromMs - NANOSECOND_MS), toMs)) {
      if (++count > MAX_POINTS) throw new RangeError(`the voltage has more than ${MAX_POINTS} points: measure a shorter time`)
      const rises = point.volts >= thresholdVolts
      if (before !== undefined && rises !== before.volts >= thresholdVolts) {
        const share = point.isLine ? (thresholdVolts - before.volts) / (point.volts - before.volts) : 1
        const atMs = before.atMs + share * (point.atMs - before.atMs)
        if (atMs >= fromMs) edges.push({ atMs, rises })
      }
      before = point
    }
    return edges
  }

  /** The frequency between the first and the last rising edge, in hertz; 0 without two of them. */
  frequency(window: TraceWindow = {}): number {
    const rising = this.edges(window).filter(({ rises }) => rises)
    const [first, last] = [rising[0]?.atMs ?? 0, rising.at(-1)?.atMs ?? 0]
    return rising.length < 2 ? 0 : ((rising.length - 1) / (last - first)) * MS_PER_SECOND
  }

  /**
   * The share of the time above the threshold, 0…1: of whole periods if there is one, otherwise of all the time. Throws `RangeError` for a
   * constant voltage without a threshold.
   */
  duty(window: TraceWindow = {}): number {
    const { fromMs = this.sinceMs, toMs = this.untilMs } = window
    const edges = this.edges(window)
    const rising = edges.filter(({ rises }) => rises)
    const [beginMs, endMs] = rising.length < 2 ? [fromMs, toMs] : [rising[0]?.atMs ?? 0, rising.at(-1)?.atMs ?? 0]
    const [first] = edges
    if (first === undefined) {
      if (window.thresholdVolts === undefined)
        throw new RangeError('the voltage is constant: say with thresholdVolts what is high')
      return this.samples(fromMs, toMs, 1).every(({ highVolts }) => highVolts >= Number(window.thresholdVolts)) ? 1 : 0
    }
    let highMs = first.rises ? 0 : Math.max(0, first.atMs - beginMs)
    for (const [index, { atMs, rises }] of edges.entries()) {
      if (rises && atMs < endMs) highMs += Math.min(edges[index + 1]?.atMs ?? endMs, endMs) - atMs
    }
    return highMs / (endMs - beginMs)
  }

  #middle(fromMs: number, toMs: number): number {
    const [{ lowVolts, highVolts } = { lowVolts: 0, highVolts: 0 }] = this.samples(fromMs, toMs, 1)
    return (lowVolts + highVolts) / 2
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
    this.#stoppedMs ??= this.clock.now()
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
    const sinceMs = this.clock.now()
    // Drop a circuit that existed for no time at all.
    if (this.#nodes.at(-1)?.sinceMs === sinceMs) this.#nodes.pop()
    if (this.#nodes.length >= this.#changes) this.#onFull?.()
    this.#nodes.push({ sinceMs, node })
    if (this.#nodes.length > this.#changes) this.#nodes.shift()
  }
}
