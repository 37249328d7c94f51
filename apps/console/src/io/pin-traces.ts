import { Trace } from '../chart/trace.ts'
import type { ReplyTo } from '../store/device-types.ts'

type PinValue = ReplyTo<'io', 'getInputValues'>['pins'][number]
/** What the mode of a pin gives. */
export type PinType = PinValue['pin_type']

/** The unit of each type, as `Value` and `Chart` want it. */
export const UNITS: Readonly<Record<PinType, string>> = { voltage_millivolt: 'mV', digital_input: '', frequency_hertz: 'Hz' }

/** The course of the values of all pins: one trace for each pin and type, so that volts and Hertz never mix. */
export class PinTraces {
  readonly #traces = new Map<string, Trace>()
  readonly #types = new Map<number, PinType>()

  of(pin: number, type: PinType): Trace {
    const key = `${pin} ${type}`
    const trace = this.#traces.get(key) ?? new Trace(1)
    this.#traces.set(key, trace)
    return trace
  }

  push(atMs: number, pins: readonly PinValue[], everyMs: number): void {
    for (const { pin, pin_type: type, value } of pins) {
      const before = this.#types.get(pin)
      if (before !== undefined && before !== type) this.of(pin, before).interrupt(atMs)
      this.#types.set(pin, type)
      this.of(pin, type).push(atMs, [value], everyMs)
    }
  }

  /** From now on the values are not known. */
  interrupt(atMs: number): void {
    for (const [pin, type] of this.#types) this.of(pin, type).interrupt(atMs)
  }
}
