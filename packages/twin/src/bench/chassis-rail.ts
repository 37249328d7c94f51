import type { Rail, Rails } from '../board/rails.ts'
import type { BenchRail } from './bench.ts'
import { RAIL_LOAD_MILLIAMPERE, RAIL_OFFSET_MILLIVOLT, within } from './bounds.ts'

/** A supply rail of a chassis. */
export class ChassisRail implements BenchRail {
  readonly rail: Rail
  readonly #rails: Rails

  constructor(rail: Rail, rails: Rails) {
    this.rail = rail
    this.#rails = rails
  }

  get milliampere(): number {
    return this.#rails.current(this.rail)
  }

  get isOn(): boolean {
    return this.#rails.isOn(this.rail)
  }

  get loadMilliampere(): number {
    return this.#rails.load(this.rail)
  }

  set loadMilliampere(milliampere: number) {
    this.#rails.setLoad(this.rail, within('loadMilliampere', milliampere, RAIL_LOAD_MILLIAMPERE, 'mA'))
  }

  get offsetMillivolt(): number {
    return this.#rails.voltageOffset(this.rail)
  }

  set offsetMillivolt(millivolt: number) {
    this.#rails.setVoltageOffset(this.rail, within('offsetMillivolt', millivolt, RAIL_OFFSET_MILLIVOLT, 'mV'))
  }
}
