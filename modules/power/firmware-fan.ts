import type { Clock, Random, Timer } from '@slotwire/core'
import type { FanMode } from './limits.ts'

/** A new mode takes effect within these bounds; twin.md "power", spec "Fan". */
export const FAN_APPLY_MS = { min: 2000, max: 10_000 } as const
/** The speed reading follows a new mode within these bounds. */
export const FAN_SPEED_MS = { min: 1000, max: 2000 } as const
/** Typical speed for one percent: 5000 rpm at full speed. */
export const RPM_PER_PERCENT = 50
/** Most that a fan may differ from the typical speed. */
export const RPM_TOLERANCE = 0.15

/** The fan, forced to a mode or controlled by the firmware, with its delays. */
export class Fan {
  #blocked = false
  /** The relative speed of this fan. */
  readonly #deviation: number
  #forced = false
  #settingMode: FanMode = 0
  #automaticMode: FanMode = 0
  #currentMode: FanMode = 0
  #measuredMode: FanMode = 0
  #measuring = false
  #next: { readonly mode: FanMode; readonly timer: Timer } | undefined
  #speedTimer: Timer | undefined

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly onApplied: () => void,
  ) {
    this.#deviation = (2 * random() - 1) * RPM_TOLERANCE
  }

  /** The values of FAN_STATUS. The setting mode is the one last set, active or not. */
  get status(): { readonly forced: boolean; readonly currentMode: FanMode; readonly settingMode: FanMode } {
    return { forced: this.#forced, currentMode: this.#currentMode, settingMode: this.#settingMode }
  }

  /** The active mode. */
  get currentMode(): FanMode {
    return this.#currentMode
  }

  /** The real speed in percent: 0 while the fan is blocked. */
  get turning(): number {
    return this.#blocked ? 0 : this.#currentMode
  }

  /** The values of FAN_RPM: measured revolutions per minute; 0 while the measurement is off. */
  get speed(): { readonly enabled: boolean; readonly rpm: number } {
    const isMeasured = this.#measuring && !this.#blocked
    const rpm = isMeasured ? Math.round(this.#measuredMode * RPM_PER_PERCENT * (1 + this.#deviation)) : 0
    return { enabled: this.#measuring, rpm }
  }

  set(forced: boolean, mode: FanMode): void {
    this.#forced = forced
    this.#settingMode = mode
    this.#aim()
  }

  setMeasuring(enabled: boolean): void {
    this.#measuring = enabled
  }

  /** The mode that the firmware selects while the fan is not forced. */
  setAutomatic(mode: FanMode): void {
    this.#automaticMode = mode
    this.#aim()
  }

  /** Blocks the fan until the returned function is called: it does not turn, although the firmware does not notice. */
  block(): () => void {
    const hold = (blocked: boolean): void => {
      this.#blocked = blocked
      this.onApplied()
    }
    hold(true)
    return () => hold(false)
  }

  reset(): void {
    this.#measuring = false
    this.set(false, 0)
  }

  /** Without supply the fan stops. */
  powerDown(): void {
    this.#next?.timer.cancel()
    this.#next = undefined
    this.#speedTimer?.cancel()
    this.#automaticMode = 0
    this.#currentMode = 0
    this.#measuredMode = 0
  }

  #aim(): void {
    const mode = this.#forced ? this.#settingMode : this.#automaticMode
    if (mode === (this.#next?.mode ?? this.#currentMode)) return
    this.#next?.timer.cancel()
    this.#next = undefined
    if (mode === this.#currentMode) return
    this.#next = { mode, timer: this.clock.after(this.#between(FAN_APPLY_MS), () => this.#apply(mode)) }
  }

  #apply(mode: FanMode): void {
    this.#next = undefined
    this.#currentMode = mode
    this.#speedTimer?.cancel()
    this.#speedTimer = this.clock.after(this.#between(FAN_SPEED_MS), () => {
      this.#measuredMode = mode
    })
    this.onApplied()
  }

  #between({ min, max }: { readonly min: number; readonly max: number }): number {
    return min + this.random() * (max - min)
  }
}
