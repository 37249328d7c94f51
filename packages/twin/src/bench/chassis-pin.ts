import type { Clock } from '@slotwire/core'
import type { Connection } from '../circuit/connection.ts'
import type { Element } from '../circuit/elements/element.ts'
import type { Terminal } from '../circuit/terminal.ts'
import type { Wiring } from '../circuit/wiring.ts'
import type { BenchPin } from './bench.ts'
import { assertMade } from './made.ts'
import type { TraceOptions } from './pin-trace.ts'
import { PinTrace } from './pin-trace.ts'

/** A pin of a chassis: the terminal of its wiring. */
export class ChassisPin implements BenchPin {
  readonly slot: number
  readonly pin: number
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

  get volts(): number {
    return this.#terminal.voltsAt(this.#clock.now())
  }

  get amps(): number {
    return this.#terminal.ampsAt(this.#clock.now())
  }

  get connections(): readonly Connection[] {
    return this.#wiring.connections(this.name)
  }

  connect<Change extends object>(element: Element<Change>): Connection<Change> {
    assertMade(element, 'settingsAt', 'an element, as in pin.connect(source(24))')
    return this.#wiring.connect(this.name, element)
  }

  short(): Connection {
    return this.#wiring.short(this.name)
  }

  wireTo(other: BenchPin): Connection {
    if (!(other instanceof ChassisPin) || other.#wiring !== this.#wiring)
      throw new RangeError(`pin ${other.name} is of another device: take both of the same bench`)
    return this.#wiring.wire(this.name, other.name)
  }

  disconnect(): number {
    return this.#wiring.disconnectAll(this.name)
  }

  record(options: TraceOptions = {}): PinTrace {
    return new PinTrace(this.#terminal, this.#clock, options)
  }
}
