import { type Clock, dividerVolt } from '@slotwire/core'
import { type ComputeModule, HeatNode } from '@slotwire/twin'
import { THERMISTOR } from './wire.ts'

/** The measuring inputs of GET_VOLTAGE. */
export type VoltageInput = 'ntc0' | 'rail1v8' | 'rtcBattery' | 'ntc1'

const RAIL_1V8_MICROVOLT = 1_788_000
const RTC_BATTERY_MICROVOLT = 2_949_000
/** Near the SoC: 38.703 °C at the default load and ambient temperature. */
export const NTC0 = { kelvinPerWatt: 6.8515, timeConstantMs: 30_000 }
/** Near the buzzer: 29.587 °C at the same load and temperature. */
export const NTC1 = { kelvinPerWatt: 2.2935, timeConstantMs: 180_000 }

/** The analog inputs of the mainboard. The temperatures follow the computer's load and the ambient temperature. */
export class Sensors {
  readonly #ntc0: HeatNode
  readonly #ntc1: HeatNode
  #unsubscribe: (() => void) | undefined

  constructor(
    clock: Clock,
    private readonly computer: ComputeModule,
  ) {
    this.#ntc0 = new HeatNode(clock, this.#settled(NTC0), NTC0.timeConstantMs)
    this.#ntc1 = new HeatNode(clock, this.#settled(NTC1), NTC1.timeConstantMs)
  }

  microvolt(input: VoltageInput): number {
    if (input === 'rail1v8') return RAIL_1V8_MICROVOLT
    if (input === 'rtcBattery') return RTC_BATTERY_MICROVOLT
    const { celsius } = input === 'ntc0' ? this.#ntc0 : this.#ntc1
    return Math.round(dividerVolt(THERMISTOR, celsius) * 1e6)
  }

  powerUp(): void {
    this.#unsubscribe ??= this.computer.onChange(() => this.#follow())
    this.#follow()
  }

  powerDown(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #follow(): void {
    this.#ntc0.drive(this.#settled(NTC0))
    this.#ntc1.drive(this.#settled(NTC1))
  }

  #settled(place: { readonly kelvinPerWatt: number }): number {
    return this.computer.ambientCelsius + place.kelvinPerWatt * this.computer.loadWatt
  }
}
