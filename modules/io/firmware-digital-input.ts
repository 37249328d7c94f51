import { LevelTracker, type SolvedNode } from '@slotwire/twin'
import { digitalBand } from './circuit.ts'
import { EdgeCounter } from './firmware-counter.ts'
import { Trigger, type Watched } from './firmware-trigger.ts'
import type { PinReading } from './wire.ts'

/** A pin in digital mode: its level, an interrupt and a counter. Both may be active together. */
export class DigitalInput {
  readonly #watched: Watched
  #node: SolvedNode
  #level: LevelTracker
  #interrupt: Trigger | undefined
  #counter: EdgeCounter | undefined

  /** A voltage between the two levels reads as low until it has crossed one of them. */
  constructor(watched: Watched) {
    this.#watched = watched
    this.#node = watched.node
    this.#level = new LevelTracker(watched.node, digitalBand, watched.clock.now(), false)
  }

  /** Replaces the interrupt. `pulse` fires when a pulse is complete: the level left its current value and came back. */
  enableInterrupt(debounceMs: number, trigger: 'rising' | 'falling' | 'pulse'): void {
    this.disableInterrupt()
    const wasHigh = this.#level.isHigh(this.#watched.clock.now())
    const direction = trigger === 'pulse' ? (wasHigh ? 'rising' : 'falling') : trigger
    this.#interrupt = new Trigger({ ...this.#watched, node: this.#node, band: digitalBand, direction, wasHigh, debounceMs })
  }

  /** Earlier events are still reported. */
  disableInterrupt(): void {
    this.#interrupt?.finish()
    this.#interrupt = undefined
  }

  /** A counter that is active continues. */
  enableCounter(): void {
    const { clock } = this.#watched
    this.#counter ??= new EdgeCounter(clock, this.#node, this.#level.isHigh(clock.now()))
  }

  disableCounter(): void {
    this.#counter = undefined
  }

  changed(node: SolvedNode): void {
    if (node === this.#node) return
    this.#node = node
    this.#level = this.#level.movedTo(node, this.#watched.clock.now())
    this.#counter?.changed(node)
    this.#interrupt?.changed(node)
  }

  /** The frequency while the counter is active, otherwise the level. */
  reading(): Pick<PinReading, 'type' | 'value'> {
    if (this.#counter !== undefined) return { type: 'frequencyHertz', value: this.#counter.hertz }
    return { type: 'digitalState', value: Number(this.#level.isHigh(this.#watched.clock.now())) }
  }

  /** Stops; events that were not reported are dropped. */
  cancel(): void {
    this.#interrupt?.cancel()
    this.#interrupt = undefined
  }
}
