import type { Clock } from '@slotwire/core'
import { type CircuitNode, DIGITAL_BAND, LevelTracker } from '@slotwire/twin'

import { Trigger, type Watched } from './firmware-trigger.ts'
import type { PinReading } from './wire.ts'

/** A pin in digital mode: its level, an interrupt and a counter. Both may be active together. */
export class DigitalInput {
  #node: CircuitNode
  #level: LevelTracker
  #interrupt: Trigger | undefined
  #counter: EdgeCounter | undefined

  /** A voltage between the two levels reads as low until it has crossed one of them. */
  constructor(private readonly watched: Watched) {
    this.#node = watched.node
    this.#level = new LevelTracker(watched.node, DIGITAL_BAND, watched.clock.now(), false)
  }

  /** Replaces the interrupt. `pulse` fires when a pulse is complete: the level left its current value and came back. */
  enableInterrupt(debounceMs: number, trigger: 'rising' | 'falling' | 'pulse'): void {
    this.disableInterrupt()
    const wasHigh = this.#level.isHigh(this.watched.clock.now())
    const direction = trigger === 'pulse' ? (wasHigh ? 'rising' : 'falling') : trigger
    this.#interrupt = new Trigger({ ...this.watched, node: this.#node, band: DIGITAL_BAND, direction, wasHigh, debounceMs })
  }

  /** Earlier events are still reported. */
  disableInterrupt(): void {
    this.#interrupt?.finish()
    this.#interrupt = undefined
  }

  /** A counter that is active continues. */
  enableCounter(): void {
    const { clock } = this.watched
    this.#counter ??= new EdgeCounter(clock, this.#node, this.#level.isHigh(clock.now()))
  }

  disableCounter(): void {
    this.#counter = undefined
  }

  changed(node: CircuitNode): void {
    if (node === this.#node) return
    this.#node = node
    this.#level = this.#level.movedTo(node, this.watched.clock.now())
    this.#counter?.changed(node)
    this.#interrupt?.changed(node)
  }

  /** The frequency while the counter is active, otherwise the level. */
  reading(): Pick<PinReading, 'type' | 'value'> {
    if (this.#counter !== undefined) return { type: 'frequency_hertz', value: this.#counter.hertz }
    return { type: 'digital_input', value: Number(this.#level.isHigh(this.watched.clock.now())) }
  }

  /** Stops; events that were not reported are dropped. */
  cancel(): void {
    this.#interrupt?.cancel()
    this.#interrupt = undefined
  }
}

/** The counter shows the rising edges within this last time; behaviour.md "io". */
const WINDOW_MS = 1000
/** Most changes of the node that are stored; with more within a second the oldest edges are not counted. */
const MAX_STRETCHES = 1024

/** A time in which the node did not change. */
interface Stretch {
  readonly tracker: LevelTracker
  readonly fromMs: number
  readonly untilMs: number
  /** Whether the change of the node at `fromMs` was a rising edge. */
  readonly beganWithRise: boolean
}

/** Frequency counter of a digital input. It counts when it is read, so an edge costs nothing. */
class EdgeCounter {
  readonly #past: Stretch[] = []
  #present: Omit<Stretch, 'untilMs'>

  constructor(
    private readonly clock: Clock,
    private node: CircuitNode,
    wasHigh: boolean,
  ) {
    const fromMs = clock.now()
    this.#present = { tracker: new LevelTracker(node, DIGITAL_BAND, fromMs, wasHigh), fromMs, beganWithRise: false }
  }

  /** Call this when the node has changed. */
  changed(node: CircuitNode): void {
    if (node === this.node) return
    const nowMs = this.clock.now()
    const wasHigh = this.#present.tracker.isHigh(nowMs)
    const tracker = this.#present.tracker.movedTo(node, nowMs)
    this.#past.push({ ...this.#present, untilMs: nowMs })
    while (this.#past.length > MAX_STRETCHES || (this.#past[0]?.untilMs ?? nowMs) < nowMs - WINDOW_MS) this.#past.shift()
    this.node = node
    this.#present = { tracker, fromMs: nowMs, beganWithRise: !wasHigh && tracker.isHigh(nowMs) }
  }

  /** Rising edges in the last second, or since the counter was switched on if that is less. */
  get hertz(): number {
    const nowMs = this.clock.now()
    const sinceMs = nowMs - WINDOW_MS
    let rises = 0
    for (const { tracker, fromMs, untilMs, beganWithRise } of [...this.#past, { ...this.#present, untilMs: nowMs }]) {
      rises += tracker.rises(Math.max(fromMs, sinceMs), untilMs)
      if (beganWithRise && fromMs > sinceMs) rises++
    }
    return rises
  }
}
