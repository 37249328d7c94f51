import { type Clock, dividerVolt, type Timer } from '@slotwire/core'
import { type ComputeModule, HeatNode } from '@slotwire/twin'
import type { Fan } from './firmware-fan.ts'
import type { Supply } from './firmware-supply.ts'
import { FAN_MODES, type FanMode } from './limits.ts'
import { PMC_STEPS_PER_CELSIUS, THERMISTOR } from './wire.ts'

/** Above it the power management controller counts an event; spec "Protection log". */
export const PMC_MAX_CELSIUS = 125
/** From this temperature of the controller on, the automatic fan steps up, by one mode for each further step. */
const FIRST_STEP_CELSIUS = 50
const STEP_KELVIN = 10
/** The temperature for a step down, or for the end of an over-temperature, is so far below that of the step up. */
export const HYSTERESIS_KELVIN = 5
/** A computed crossing counts as reached within this distance: closed forms round. */
const NEAR_KELVIN = 1e-6
/** Prevents repeated checks at the same moment because of rounding. */
const MIN_WAIT_MS = 1

/** Loss of the AC/DC converter, as a share of the power on the rails. */
export const CONVERTER_LOSS = 0.1
/** For each place, with the fan off: kelvin above ambient without load, kelvin per watt, and the time constant. */
export const PMC = { idleKelvin: 8, kelvinPerWatt: 28, timeConstantMs: 20_000 }
export const ON_BOARD = { idleKelvin: 5, kelvinPerWatt: 18, timeConstantMs: 120_000 }
/** The fan at full speed divides the heat by one plus this number. */
export const FAN_COOLING = 2

/** Temperatures of the supply: they follow the dissipated power and the fan, and control the automatic fan. Uses computed events, not ticks. */
export class Thermal {
  readonly #pmc: HeatNode
  readonly #onBoard: HeatNode
  #fanMode: FanMode = 0
  #tooHot = false
  #timer: Timer | undefined

  constructor(
    private readonly clock: Clock,
    private readonly computer: ComputeModule,
    private readonly supply: Supply,
    private readonly fan: Fan,
    private readonly onPmcTooHot: (isTooHot: boolean) => void,
  ) {
    this.#pmc = new HeatNode(clock, computer.ambientCelsius + PMC.idleKelvin, PMC.timeConstantMs)
    this.#onBoard = new HeatNode(clock, computer.ambientCelsius + ON_BOARD.idleKelvin, ON_BOARD.timeConstantMs)
  }

  get pmcCelsius(): number {
    return this.#pmc.celsius
  }

  get onBoardCelsius(): number {
    return this.#onBoard.celsius
  }

  /** The values of TEMPERATURE_SENSOR. */
  readings(): { readonly onBoardMillivolt: number; readonly pmcRaw: number } {
    return {
      onBoardMillivolt: Math.round(dividerVolt(THERMISTOR, this.onBoardCelsius) * 1000),
      pmcRaw: Math.max(0, Math.round(this.pmcCelsius * PMC_STEPS_PER_CELSIUS)),
    }
  }

  /** Call this after every change of a draw, of the ambient temperature, or of the fan. */
  check(): void {
    const cooling = 1 + (FAN_COOLING * this.fan.turning) / 100
    const heat = (place: typeof PMC, watt: number): number => {
      return this.computer.ambientCelsius + (place.idleKelvin + place.kelvinPerWatt * watt) / cooling
    }
    this.#pmc.drive(heat(PMC, this.supply.dissipationWatt()))
    this.#onBoard.drive(heat(ON_BOARD, (this.supply.totalMilliwatt() / 1000) * CONVERTER_LOSS))
    this.#nextCheck()
  }

  powerDown(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#fanMode = 0
  }

  #nextCheck(): void {
    const celsius = this.pmcCelsius
    this.#fanMode = automaticMode(celsius, this.#fanMode)
    this.fan.setAutomatic(this.#fanMode)
    const limit = PMC_MAX_CELSIUS - (this.#tooHot ? HYSTERESIS_KELVIN : 0)
    const tooHot = this.#tooHot ? celsius > limit + NEAR_KELVIN : celsius >= limit - NEAR_KELVIN
    const changed = tooHot !== this.#tooHot
    this.#tooHot = tooHot
    this.#checkLater()
    if (changed) this.onPmcTooHot(tooHot)
  }

  /** At the next crossing if nothing changes; a crossing in the wrong direction does not count. */
  #checkLater(): void {
    this.#timer?.cancel()
    const pmc = this.#pmc
    const falling = [stepCelsius(this.#fanMode), ...(this.#tooHot ? [PMC_MAX_CELSIUS] : [])].map(
      (celsius) => celsius - HYSTERESIS_KELVIN,
    )
    const above = neighbour(this.#fanMode, 1)
    const rising = [...(above === this.#fanMode ? [] : [stepCelsius(above)]), ...(this.#tooHot ? [] : [PMC_MAX_CELSIUS])]
    const levels = pmc.targetCelsius < pmc.celsius ? falling : rising
    const waitMs = Math.max(MIN_WAIT_MS, Math.min(...levels.map((level) => pmc.msUntil(level))))
    this.#timer = Number.isFinite(waitMs) ? this.clock.after(waitMs, () => this.#nextCheck()) : undefined
  }
}

/** The temperature from which the automatic fan runs in `mode`; it is off below all of them. */
export function stepCelsius(mode: FanMode): number {
  const index = FAN_MODES.indexOf(mode)
  return index === 0 ? Number.NEGATIVE_INFINITY : FIRST_STEP_CELSIUS + (index - 1) * STEP_KELVIN
}

function neighbour(mode: FanMode, step: 1 | -1): FanMode {
  return FAN_MODES[FAN_MODES.indexOf(mode) + step] ?? mode
}

/** The automatic mode at this temperature, coming from `mode`. */
export function automaticMode(celsius: number, mode: FanMode): FanMode {
  let next = mode
  while (neighbour(next, 1) !== next && celsius >= stepCelsius(neighbour(next, 1)) - NEAR_KELVIN) next = neighbour(next, 1)
  while (celsius <= stepCelsius(next) - HYSTERESIS_KELVIN + NEAR_KELVIN) next = neighbour(next, -1)
  return next
}
