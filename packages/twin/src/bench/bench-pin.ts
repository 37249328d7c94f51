import type { Clock } from '@slotwire/core'
import type { Connection } from '../circuit/connection.ts'
import type { Element } from '../circuit/elements/element.ts'
import type { Terminal } from '../circuit/terminal.ts'
import type { Wiring } from '../circuit/wiring.ts'
import { assertFactoryMade } from './factory-made.ts'
import { PinTrace, type TraceOptions } from './pin-trace.ts'

/** The other pins of an element. */
export interface PinEnds {
  /** Pin at its other end, in place of ground; of an encoder, the pin of its second output. */
  readonly other?: BenchPin
  /** The two pins that the contact of a relay connects. */
  readonly contact?: readonly [BenchPin, BenchPin]
}

/** One pin of the bench: voltage, current, connected elements. It stays valid when its module is unplugged. */
export class BenchPin {
  /** `slot/pin`, as in `3/1`. */
  readonly name: string
  readonly #terminal: Terminal

  constructor(
    readonly slot: number,
    readonly pin: number,
    private readonly wiring: Wiring,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.name = `${slot}/${pin}`
    this.#terminal = wiring.terminal(this.name)
  }

  /** Volts now. */
  get volts(): number {
    return this.#terminal.voltsAt(this.clock.now())
  }

  /** Current that the module delivers now, in ampere; negative while the pin sinks current. */
  get amps(): number {
    return this.#terminal.ampsAt(this.clock.now())
  }

  get connections(): readonly Connection[] {
    return this.wiring.connections(this.name)
  }

  /**
   * Connects an element between the pin and ground, or between the pin and `other`, a pin of any module. A source has its plus at the pin, a
   * diode its anode, an encoder its first output. `contact` is where the contact of a relay is. Throws `RangeError` for an element that
   * cannot have these ends, and if a limit is reached.
   */
  connect<Change extends object>(element: Element<Change>, { other, contact }: PinEnds = {}): Connection<Change> {
    assertFactoryMade(element, 'settingsAt', 'an element, as in pin.connect(source(24))')
    for (const end of [other, ...(contact ?? [])]) if (end !== undefined) this.#assertSameBench(end)
    return this.wiring.connect(this.name, element, {
      other: other?.name,
      contact: contact === undefined ? undefined : [contact[0].name, contact[1].name],
    })
  }

  /** Shorts the pin to ground. */
  short(): Connection {
    return this.wiring.short(this.name)
  }

  /** Wires this pin to another. Throws `RangeError` for the same pin, a pin of another device, and at the limit of connections. */
  wireTo(other: BenchPin): Connection {
    this.#assertSameBench(other)
    return this.wiring.wire(this.name, other.name)
  }

  #assertSameBench(other: BenchPin): void {
    if (!(other instanceof BenchPin) || other.wiring !== this.wiring)
      throw new RangeError(`pin ${other.name} belongs to another device: use two pins of the same bench`)
  }

  /** Removes all connections of the pin; returns how many there were. */
  disconnect(): number {
    return this.wiring.disconnectAll(this.name)
  }

  /** Records the pin's voltage from now until `stop` is called. Throws `RangeError` for an invalid limit. */
  record(options: TraceOptions = {}): PinTrace {
    return new PinTrace(this.#terminal, this.clock, options)
  }
}
