import type { Clock, Timer } from '@slotwire/core'
import type { Moment, SolvedNode } from '@slotwire/twin'
import { NEVER } from '@slotwire/twin'
import type { Alerts } from './firmware-announcer.ts'
import type { Drive } from './firmware-drive-faults.ts'
import { DriveFaults } from './firmware-drive-faults.ts'

/** An overload or a low output must last this long to count; also what an output gets to settle. twin.md "Alerts" */
export const OVERLOAD_MS = 2
/** Changes that are looked at in one go. */
const CHANGES_AT_ONCE = 64

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
  #faults: DriveFaults
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
    this.#faults = new DriveFaults(node, drive)
    this.#fromMs = clock.now()
    this.#arm()
  }

  /** The node or the drive was changed. May call `alert`, as the last thing it does. */
  changed(node: SolvedNode, drive: Drive): void {
    if (node === this.#node && drive === this.#drive) return
    this.#settle(() => {
      this.#node = node
      this.#drive = drive
      this.#faults = new DriveFaults(node, drive)
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

  /** When a condition will have lasted long enough, if nothing changes. Two periods show all of them, also one across the end of the first. */
  #look(): Look {
    const { fromMs, periodMs } = this.#faults.regular
    const enoughMs = Math.max(this.#fromMs, fromMs) + 2 * periodMs
    let atMs = this.#fromMs
    let since = this.#since
    const isFine = since.overload === undefined && since.lowOutput === undefined
    if (isFine && !this.#node.isSteady && this.#faults.areExcluded) return { ...NEVER, since }
    for (let changes = 0; changes <= CHANGES_AT_ONCE; changes++) {
      since = this.#step(since, atMs)
      const next = this.#faults.changeAfter(atMs, this.#fromMs)
      const due = Math.min(dueOf(since.overload), dueOf(since.lowOutput))
      if (due < next) return { found: true, atMs: due, since }
      if (next === Number.POSITIVE_INFINITY || atMs > enoughMs) return { ...NEVER, since }
      atMs = next
    }
    return { found: false, atMs, since }
  }

  /** The conditions just before `nowMs`: a run that still counts began at most 2 ms ago, or it would have been due. */
  #sinceAt(nowMs: number): Since {
    let atMs = Math.max(this.#fromMs, nowMs - OVERLOAD_MS)
    let since = atMs === this.#fromMs ? this.#since : NOTHING
    while (atMs < nowMs) {
      since = this.#step(since, atMs)
      atMs = this.#faults.changeAfter(atMs, this.#fromMs)
    }
    return since
  }

  #step(since: Since, atMs: number): Since {
    const { overload, lowOutput } = this.#faults.at(atMs)
    return {
      overload: overload ? (since.overload ?? atMs) : undefined,
      lowOutput: lowOutput ? (since.lowOutput ?? atMs) : undefined,
    }
  }
}

/** When a condition that has held since then will have lasted long enough. */
function dueOf(sinceMs: number | undefined): number {
  return (sinceMs ?? Number.POSITIVE_INFINITY) + OVERLOAD_MS
}
