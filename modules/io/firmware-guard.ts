import type { Clock, Timer } from '@slotwire/core'
import type { Branch, Leg, Moment, SolvedNode } from '@slotwire/twin'
import { isAlternation, LOOK_AHEAD_EDGES, legAt, NEVER } from '@slotwire/twin'
import type { Alerts } from './firmware-announcer.ts'

/** An overload or a low output must last this long to count; also what an output gets to settle. twin.md "Alerts" */
export const OVERLOAD_MS = 2
/** Rounding in the solution of a node must not count as an overload: a microvolt, a microampere. */
const TOLERANCE = 1e-6
/** Edges of a single slow source that show two of its periods: every overload, also one that spans the end of the first. */
const EDGES_OF_TWO_PERIODS = 4

/** What a driven pin gives, and what it may. */
export interface Drive {
  readonly branch: Branch
  readonly high: Leg
  readonly limitAmps: number
  readonly minimumVolts: number
}

/** Since when each condition has held. */
interface Since {
  readonly overload: number | undefined
  readonly lowOutput: number | undefined
}
const NOTHING: Since = { overload: undefined, lowOutput: undefined }

/**
 * Watches a driven pin for `high_current` (the amount of its current above its limit) and `under_voltage` (its driver high, the pin
 * below the rail's minimum), each once it lasted 2 ms. Sources with a period up to 2 ms, a fast pwm above all, are judged by the mean
 * over their period: what is over within 2 ms never is an overload by itself, but its repetition can be.
 */
export class DriveGuard {
  readonly #clock: Clock
  readonly #alert: (alerts: Alerts, atMs: number) => void
  #node: SolvedNode
  #drive: Drive
  #fromMs: number
  #since: Since = NOTHING
  #timer: Timer | undefined

  constructor(clock: Clock, node: SolvedNode, drive: Drive, alert: (alerts: Alerts, atMs: number) => void) {
    this.#clock = clock
    this.#alert = alert
    this.#node = node
    this.#drive = drive
    this.#fromMs = clock.now()
    this.#arm()
  }

  /** The node or the drive was changed. May call `alert`, as the last thing it does. */
  changed(node: SolvedNode, drive: Drive): void {
    if (node === this.#node && drive === this.#drive) return
    const nowMs = this.#clock.now()
    const since = this.#sinceAt(nowMs)
    this.#since = since
    this.#fromMs = nowMs
    this.#node = node
    this.#drive = drive
    this.#alertOrArm(since, nowMs)
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #wake(): void {
    const nowMs = this.#clock.now()
    this.#alertOrArm(this.#sinceAt(nowMs), nowMs)
  }

  #alertOrArm(since: Since, nowMs: number): void {
    this.cancel()
    const highCurrent = hasLasted(since.overload, nowMs)
    const underVoltage = hasLasted(since.lowOutput, nowMs)
    if (!highCurrent && !underVoltage) this.#arm()
    else
      this.#alert(
        { ...(highCurrent && { highCurrentAlert: true }), ...(underVoltage && { underVoltageAlert: true }) },
        dueOf(since),
      )
  }

  #arm(): void {
    const { atMs } = this.#due()
    if (atMs === Number.POSITIVE_INFINITY) return
    this.#timer = this.#clock.after(Math.max(0, atMs - this.#clock.now()), () => this.#wake())
  }

  /** When a condition will have lasted long enough, if nothing changes. */
  #due(): Moment {
    const slow = this.#node.alternations.filter((source) => source.periodMs > OVERLOAD_MS).length
    const nowMs = this.#clock.now()
    let atMs = nowMs
    let since = this.#sinceAt(nowMs)
    for (let edges = 0; edges <= (slow === 1 ? EDGES_OF_TWO_PERIODS : LOOK_AHEAD_EDGES); edges++) {
      since = this.#step(since, atMs)
      const next = this.#node.edgeAfter(atMs, OVERLOAD_MS)
      if (dueOf(since) < next) return { found: true, atMs: dueOf(since) }
      if (next === Number.POSITIVE_INFINITY) return NEVER
      atMs = next
    }
    return slow === 1 ? NEVER : { found: false, atMs }
  }

  /** The conditions just before `nowMs`: a run that counts began at most 2 ms ago, or would have been noticed. */
  #sinceAt(nowMs: number): Since {
    let atMs = Math.max(this.#fromMs, nowMs - OVERLOAD_MS)
    let since = atMs === this.#fromMs ? this.#since : NOTHING
    while (atMs < nowMs) {
      since = this.#step(since, atMs)
      atMs = this.#node.edgeAfter(atMs, OVERLOAD_MS)
    }
    return since
  }

  #step(since: Since, atMs: number): Since {
    const { limitAmps, minimumVolts } = this.#drive
    const overloaded = this.#meanAmps(atMs) > limitAmps + TOLERANCE
    const low = this.#isHigh(atMs) && this.#meanVolts(atMs) < minimumVolts - TOLERANCE
    return {
      overload: overloaded ? (since.overload ?? atMs) : undefined,
      lowOutput: low ? (since.lowOutput ?? atMs) : undefined,
    }
  }

  #meanAmps(atMs: number): number {
    return this.#node.mean(atMs, OVERLOAD_MS, (volts, legOf) => {
      const leg = legOf(this.#drive.branch)
      return Math.abs(leg.volts - volts) / leg.ohms
    })
  }

  #meanVolts(atMs: number): number {
    return this.#node.mean(atMs, OVERLOAD_MS, (volts) => volts)
  }

  /** Whether the driver holds the pin high; the high part of a fast pwm is too short to count. */
  #isHigh(atMs: number): boolean {
    const { branch, high } = this.#drive
    return !(isAlternation(branch) && branch.periodMs <= OVERLOAD_MS) && legAt(branch, atMs) === high
  }
}

/** When the first of the conditions will have lasted long enough. */
function dueOf(since: Since): number {
  return Math.min(since.overload ?? Number.POSITIVE_INFINITY, since.lowOutput ?? Number.POSITIVE_INFINITY) + OVERLOAD_MS
}

function hasLasted(sinceMs: number | undefined, nowMs: number): boolean {
  return sinceMs !== undefined && sinceMs + OVERLOAD_MS <= nowMs
}
