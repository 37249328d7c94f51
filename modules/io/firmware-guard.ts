import type { Clock, Timer } from '@slotwire/core'
import type { Branch, Leg, Moment, SolvedNode } from '@slotwire/twin'
import { isAlternation, legAt, NEVER } from '@slotwire/twin'
import type { Alerts } from './firmware-announcer.ts'

/** An overload or a low output must last this long to count; also what an output gets to settle. twin.md "Alerts" */
export const OVERLOAD_MS = 2
/** Rounding in the solution of a node must not count as an overload: a microvolt, a microampere. */
const TOLERANCE = 1e-6
/** Edges of a single slow source that show two of its periods: every overload, also one that spans the end of the first. */
const EDGES_OF_TWO_PERIODS = 4
/** Edges of several slow sources that are looked at in one go. */
const EDGES_AT_ONCE = 64

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
/** What was found ahead, and the conditions there. */
interface Look extends Moment {
  readonly since: Since
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
  /** The conditions at `#fromMs`. */
  #since: Since = NOTHING
  #next: Look = { ...NEVER, since: NOTHING }
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
    this.#settle(() => {
      this.#node = node
      this.#drive = drive
    })
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** What was due up to now counts, however late this is called, even if the change that calls it ends it. */
  #settle(change?: () => void): void {
    this.cancel()
    const nowMs = this.#clock.now()
    const { found, atMs, since } = this.#next
    if (found && atMs <= nowMs) {
      const highCurrent = dueOf(since.overload) <= atMs && { highCurrentAlert: true as const }
      const underVoltage = dueOf(since.lowOutput) <= atMs && { underVoltageAlert: true as const }
      this.#alert({ ...highCurrent, ...underVoltage }, atMs)
      return
    }
    this.#since = this.#sinceAt(nowMs)
    this.#fromMs = nowMs
    change?.()
    this.#arm()
  }

  #arm(): void {
    this.#next = this.#look()
    if (this.#next.atMs === Number.POSITIVE_INFINITY) return
    this.#timer = this.#clock.after(Math.max(0, this.#next.atMs - this.#clock.now()), () => this.#settle())
  }

  /** When a condition will have lasted long enough, if nothing changes. */
  #look(): Look {
    const slow = this.#node.alternations.filter((source) => source.periodMs > OVERLOAD_MS).length
    let atMs = this.#fromMs
    let since = this.#since
    for (let edges = 0; edges <= (slow === 1 ? EDGES_OF_TWO_PERIODS : EDGES_AT_ONCE); edges++) {
      since = this.#step(since, atMs)
      const next = this.#node.edgeAfter(atMs, OVERLOAD_MS)
      const due = Math.min(dueOf(since.overload), dueOf(since.lowOutput))
      if (due < next) return { found: true, atMs: due, since }
      if (next === Number.POSITIVE_INFINITY) return { ...NEVER, since }
      atMs = next
    }
    return slow === 1 ? { ...NEVER, since } : { found: false, atMs, since }
  }

  /** The conditions just before `nowMs`: a run that still counts began at most 2 ms ago, or it would have been due. */
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

/** When a condition that has held since then will have lasted long enough. */
function dueOf(sinceMs: number | undefined): number {
  return (sinceMs ?? Number.POSITIVE_INFINITY) + OVERLOAD_MS
}
