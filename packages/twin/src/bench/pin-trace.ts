import { type Clock, checked, wholeNumber } from '@slotwire/core'
import type { SolvedNode } from '../circuit/node/solved-node.ts'
import type { Terminal } from '../circuit/terminal.ts'
import { reachOf } from './reach.ts'

/** Changes of its wiring that a trace remembers unless told otherwise. */
export const DEFAULT_TRACE_CHANGES = 1000
const CHANGES = wholeNumber(1, 100_000)
/** Stretches that a trace is asked for at once. */
const STRETCHES = wholeNumber(1, 10_000)

export interface TraceOptions {
  /** How many changes of the pin's circuit are remembered; older ones are forgotten. 1…100000, default 1000. */
  readonly changes?: number
}

/** Lowest and highest voltage of a pin on a stretch of time, its end excluded. */
export interface TraceSample {
  readonly fromMs: number
  readonly toMs: number
  readonly lowVolts: number
  readonly highVolts: number
}

interface Remembered {
  readonly sinceMs: number
  readonly node: SolvedNode
}

/** What the voltage of a pin did: the circuits that were on it, each a function of time, and when they began. */
export class PinTrace {
  readonly #clock: Pick<Clock, 'now'>
  readonly #changes: number
  /** By time. */
  readonly #nodes: Remembered[] = []
  readonly #leave: () => void
  #stoppedMs: number | undefined

  constructor(terminal: Terminal, clock: Pick<Clock, 'now'>, { changes = DEFAULT_TRACE_CHANGES }: TraceOptions) {
    this.#changes = checked('changes', CHANGES, changes)
    this.#clock = clock
    this.#add(terminal.node)
    this.#leave = terminal.onChange(() => this.#add(terminal.node))
  }

  /** Twin time from which on it knows. */
  get sinceMs(): number {
    return this.#nodes[0]?.sinceMs ?? 0
  }

  /** Twin time up to which it knows: now, or when it was stopped. */
  get untilMs(): number {
    return this.#stoppedMs ?? this.#clock.now()
  }

  /**
   * The lowest and the highest voltage on each of `count` (1…10000) equal stretches of a time that it knows, pulses of any length included.
   * Throws `RangeError` for a time that it does not know.
   */
  samples(fromMs: number, toMs: number, count: number): readonly TraceSample[] {
    const known = { type: 'number', unit: 'ms', min: this.sinceMs, max: this.untilMs } as const
    checked('fromMs', known, fromMs)
    checked('toMs', { ...known, min: fromMs }, toMs)
    checked('count', STRETCHES, count)
    const stepMs = (toMs - fromMs) / count
    const edge = (index: number): number => (index === count ? toMs : fromMs + index * stepMs)
    return Array.from({ length: count }, (_, index) => this.#sample(edge(index), edge(index + 1)))
  }

  /** Remembers nothing new from now on; what it knows stays. */
  stop(): void {
    this.#stoppedMs ??= this.#clock.now()
    this.#leave()
  }

  #sample(fromMs: number, toMs: number): TraceSample {
    let [lowVolts, highVolts] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let index = this.#indexAt(fromMs); index < this.#nodes.length; index++) {
      const piece = this.#nodes[index]
      if (piece === undefined || (piece.sinceMs >= toMs && piece.sinceMs > fromMs)) break
      const endMs = Math.min(toMs, this.#nodes[index + 1]?.sinceMs ?? toMs)
      const [lowest, highest] = reachOf(piece.node, Math.max(fromMs, piece.sinceMs), endMs)
      lowVolts = Math.min(lowVolts, lowest)
      highVolts = Math.max(highVolts, highest)
    }
    return { fromMs, toMs, lowVolts, highVolts }
  }

  /** Index of the last node that began up to a moment. */
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

  #add(node: SolvedNode): void {
    const sinceMs = this.#clock.now()
    // What lasted for no time at all was not there.
    if (this.#nodes.at(-1)?.sinceMs === sinceMs) this.#nodes.pop()
    this.#nodes.push({ sinceMs, node })
    if (this.#nodes.length > this.#changes) this.#nodes.shift()
  }
}
