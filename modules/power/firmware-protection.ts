import type { Clock, Timer } from '@slotwire/core'
import type { Board, Rail } from '@slotwire/twin'
import { RAILS } from '@slotwire/twin'
import type { Counter, ProtectionCounters } from './firmware-counters.ts'
import type { Supply } from './firmware-supply.ts'
import { SOURCE, VOLTAGE_LIMITS } from './firmware-supply.ts'

/**
 * A fault must last so long before it counts. Longer than an io module takes to switch off an overloaded pin, so that a short circuit
 * at one pin costs that pin and not its rail.
 */
export const PROTECTION_DELAY_MS = 5
/** How long the 12 V rail stays off after its protection acted; twin.md "power". */
export const RAIL_OFF_MS = 1000

interface Condition {
  readonly counter: Counter
  readonly rail: Rail | undefined
  isViolated(): boolean
  /** Whether it was counted already; it counts again once it has been over. */
  counted: boolean
  timer: Timer | undefined
}

/** Watches voltages, currents and total power; counts what goes beyond, and acts. Looks only when something changed. */
export class Protection {
  readonly #clock: Clock
  readonly #board: Board
  readonly #supply: Supply
  readonly #counters: ProtectionCounters
  readonly #conditions: readonly Condition[]
  #railTimer: Timer | undefined

  constructor(clock: Clock, board: Board, supply: Supply, counters: ProtectionCounters) {
    this.#clock = clock
    this.#board = board
    this.#supply = supply
    this.#counters = counters
    this.#conditions = conditionsOf(supply)
  }

  /** To be called after every change of a draw, a voltage or a limit. */
  check(): void {
    for (const condition of this.#conditions) {
      if (!condition.isViolated()) this.#end(condition)
      else if (!condition.counted) condition.timer ??= this.#clock.after(PROTECTION_DELAY_MS, () => this.#act(condition))
    }
  }

  powerDown(): void {
    for (const condition of this.#conditions) this.#end(condition)
    this.#railTimer?.cancel()
    this.#railTimer = undefined
    this.#supply.rails.switchRail('12v', true)
  }

  #end(condition: Condition): void {
    condition.timer?.cancel()
    condition.timer = undefined
    condition.counted = false
  }

  #act(condition: Condition): void {
    condition.timer = undefined
    condition.counted = true
    this.#counters.count(condition.counter)
    if (condition.rail === '12v') this.#interrupt12v()
    else if (condition.rail !== undefined) this.#board.restartDevice(`the protection of the supply acted: ${condition.counter}`)
  }

  #interrupt12v(): void {
    this.#railTimer ??= this.#clock.after(RAIL_OFF_MS, () => {
      this.#railTimer = undefined
      this.#supply.rails.switchRail('12v', true)
    })
    this.#supply.rails.switchRail('12v', false)
  }
}

function conditionsOf(supply: Supply): Condition[] {
  const condition = (counter: Counter, rail: Rail | undefined, isViolated: () => boolean): Condition => {
    return { counter, rail, isViolated, counted: false, timer: undefined }
  }
  const perRail = RAILS.flatMap((rail) => {
    const { min, max } = VOLTAGE_LIMITS[rail]
    return [
      condition(`ovp${rail}`, rail, () => supply.millivolt(rail) > max),
      condition(`uvp${rail}`, rail, () => supply.rails.isOn(rail) && supply.millivolt(rail) < min),
      condition(`ocp${rail}`, rail, () => supply.milliampere(rail) > supply.limit(rail)),
    ]
  })
  return [...perRail, condition('totalOverload', undefined, () => supply.totalMilliwatt() > SOURCE.sourceTotal)]
}
