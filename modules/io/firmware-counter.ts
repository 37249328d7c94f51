import type { Clock } from '@slotwire/core'
import { LevelTracker, type SolvedNode } from '@slotwire/twin'
import { digitalBand } from './circuit.ts'

/** The counter shows the rising edges within this last time; behaviour.md "io". */
const WINDOW_MS = 1000
/** Most changes of the node that are stored; with more within a second the oldest edges are not counted. */
const MOST_STRETCHES = 1024

/** A time in which the node did not change. */
interface Stretch {
  readonly tracker: LevelTracker
  readonly fromMs: number
  readonly untilMs: number
  /** Whether the change of the node at `fromMs` was a rising edge. */
  readonly beganWithRise: boolean
}

/** Frequency counter of a digital input. It counts when it is read, so an edge costs nothing. */
export class EdgeCounter {
  readonly #clock: Clock
  readonly #past: Stretch[] = []
  #node: SolvedNode
  #present: Omit<Stretch, 'untilMs'>

  constructor(clock: Clock, node: SolvedNode, wasHigh: boolean) {
    const fromMs = clock.now()
    this.#clock = clock
    this.#node = node
    this.#present = { tracker: new LevelTracker(node, digitalBand, fromMs, wasHigh), fromMs, beganWithRise: false }
  }

  /** Call this when the node has changed. */
  changed(node: SolvedNode): void {
    if (node === this.#node) return
    const nowMs = this.#clock.now()
    const wasHigh = this.#present.tracker.isHigh(nowMs)
    const tracker = this.#present.tracker.movedTo(node, nowMs)
    this.#past.push({ ...this.#present, untilMs: nowMs })
    while (this.#past.length > MOST_STRETCHES || (this.#past[0]?.untilMs ?? nowMs) < nowMs - WINDOW_MS) this.#past.shift()
    this.#node = node
    this.#present = { tracker, fromMs: nowMs, beganWithRise: !wasHigh && tracker.isHigh(nowMs) }
  }

  /** Rising edges in the last second, or since the counter was switched on if that is less. */
  get hertz(): number {
    const nowMs = this.#clock.now()
    const sinceMs = nowMs - WINDOW_MS
    let rises = 0
    for (const { tracker, fromMs, untilMs, beganWithRise } of [...this.#past, { ...this.#present, untilMs: nowMs }]) {
      rises += tracker.rises(Math.max(fromMs, sinceMs), untilMs)
      if (beganWithRise && fromMs > sinceMs) rises++
    }
    return rises
  }
}
