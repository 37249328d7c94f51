import { type Clock, RAILS, type Rail, type Timer } from '@slotwire/core'
import type { Board } from '@slotwire/twin'
import type { Counter, ProtectionCounters } from './firmware-counters.ts'
import { SOURCE, type Supply, VOLTAGE_LIMITS } from './firmware-supply.ts'

/**
 * A fault counts after this time. An io module switches off an overloaded pin sooner, so a short circuit at one pin does not switch off
 * the rail.
 */
export const PROTECTION_DELAY_MS = 5
/** How long the 12 V rail stays off after its protection acted; twin.md "power". */
export const RAIL_OFF_MS = 1000

interface Condition {
  readonly counter: Counter
  /** Undefined for the total of all rails; then the 12 V rail, which carries most, is switched off. */
  readonly rail: Rail | undefined
  isViolated(): boolean
  /** Whether it was counted; it counts again after it has ended. */
  counted: boolean
  timer: Timer | undefined
}

/** Watches voltages, currents and total power; counts and handles faults. Checks only when something has changed. */
export class Protection {
  readonly #conditions: readonly Condition[]
  #railTimer: Timer | undefined
  #isTooHot = false

  constructor(
    private readonly clock: Clock,
    private readonly board: Board,
    private readonly supply: Supply,
    private readonly counters: ProtectionCounters,
  ) {
    this.#conditions = conditionsOf(supply)
  }

  /** The supply is back; a controller that was too hot may still be. */
  powerUp(): void {
    this.#switch12v()
  }

  /** Call this after every change of a draw, a voltage or a limit. */
  check(): void {
    for (const condition of this.#conditions) {
      if (!condition.isViolated()) this.#end(condition)
      else if (!condition.counted) condition.timer ??= this.clock.after(PROTECTION_DELAY_MS, () => this.#act(condition))
    }
  }

  /** The power management controller is too hot, or has cooled down. The 12 V rail is off meanwhile. */
  setTooHot(isTooHot: boolean): void {
    this.#isTooHot = isTooHot
    if (isTooHot) this.counters.count('pmcTemperature')
    this.#switch12v()
  }

  powerDown(): void {
    for (const condition of this.#conditions) this.#end(condition)
    this.#railTimer?.cancel()
    this.#railTimer = undefined
    // The next module cannot know that this one switched the rail off: switch it on.
    this.supply.rails.switchRail('12v', true)
  }

  #end(condition: Condition): void {
    condition.timer?.cancel()
    condition.timer = undefined
    condition.counted = false
  }

  #act(condition: Condition): void {
    condition.timer = undefined
    condition.counted = true
    this.counters.count(condition.counter)
    if (condition.rail === '3v3' || condition.rail === '5v0')
      this.board.restartDevice(`the protection of the supply acted: ${condition.counter}`)
    else this.#interrupt12v()
  }

  #interrupt12v(): void {
    this.#railTimer ??= this.clock.after(RAIL_OFF_MS, () => {
      this.#railTimer = undefined
      this.#switch12v()
    })
    this.#switch12v()
  }

  #switch12v(): void {
    this.supply.rails.switchRail('12v', this.#railTimer === undefined && !this.#isTooHot)
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
  return [...perRail, condition('totalOverload', undefined, () => supply.totalMilliwatt() > SOURCE.source_total)]
}
