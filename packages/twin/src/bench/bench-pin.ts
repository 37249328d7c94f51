import type { Clock } from '@slotwire/core'
import type { Connection } from '../circuit/connection.ts'
import type { Element } from '../circuit/elements/element.ts'
import type { Terminal } from '../circuit/terminal.ts'
import type { Wiring } from '../circuit/wiring.ts'
import { assertFactoryMade } from './factory-made.ts'
import type { TraceOptions } from './pin-trace.ts'
import { PinTrace } from './pin-trace.ts'

/** A pin as somebody at the bench has it in hand. It stays when its module leaves. */
export class BenchPin {
  readonly slot: number
  readonly pin: number
  /** `slot/pin`, as in `3/1`. */
  readonly name: string
  readonly #wiring: Wiring
  readonly #terminal: Terminal
  readonly #clock: Pick<Clock, 'now'>

  constructor(slot: number, pin: number, wiring: Wiring, clock: Pick<Clock, 'now'>) {
    this.slot = slot
    this.pin = pin
    this.name = `${slot}/${pin}`
    this.#wiring = wiring
    this.#terminal = wiring.terminal(this.name)
    this.#clock = clock
  }

  /** Volts now. */
  get volts(): number {
    return this.#terminal.voltsAt(this.#clock.now())
  }

  /** Ampere that the module delivers now; negative while it sinks. */
  get amps(): number {
    return this.#terminal.ampsAt(this.#clock.now())
  }

  get connections(): readonly Connection[] {
    return this.#wiring.connections(this.name)
  }

  /** Hangs an element between the pin and ground. Throws `RangeError` where there is no room. */
  connect<Change extends object>(element: Element<Change>): Connection<Change> {
    assertFactoryMade(element, 'settingsAt', 'an element, as in pin.connect(source(24))')
    return this.#wiring.connect(this.name, element)
  }

  /** Shorts the pin to ground. */
  short(): Connection {
    return this.#wiring.short(this.name)
  }

  /** Makes two pins one node. Throws `RangeError` for itself, a pin of another device, and where there is no room. */
  wireTo(other: BenchPin): Connection {
    if (!(other instanceof BenchPin) || other.#wiring !== this.#wiring)
      throw new RangeError(`pin ${other.name} is of another device: take both of the same bench`)
    return this.#wiring.wire(this.name, other.name)
  }

  /** Takes away all that hangs on it; returns how many connections that were. */
  disconnect(): number {
    return this.#wiring.disconnectAll(this.name)
  }

  /** From now on remembers what its voltage does, until it is told to stop. Throws `RangeError` for a limit that is none. */
  record(options: TraceOptions = {}): PinTrace {
    return new PinTrace(this.#terminal, this.#clock, options)
  }
}
