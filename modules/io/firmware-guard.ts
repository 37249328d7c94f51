import type { Clock, Timer } from '@slotwire/core'
import { type Moment, NEVER, type SolvedNode, type Terminal } from '@slotwire/twin'
import type { Alerts } from './firmware-announcer.ts'
import { type Drive, DriveFaults } from './firmware-drive-faults.ts'

/** An overload or a low output counts after this time, so that an output can settle. twin.md "Alerts" */
export const OVERLOAD_MS = 2
/** Changes that are checked in one go; fewer where an edge costs more. */
const CHANGES_AT_ONCE = 64

/** A node from its last change on. Pins that are wired together share the moment, so that a short circuit is due at all of them at once. */
type Changed = Pick<Terminal, 'node' | 'changedMs'>
/** When each condition began. */
interface Since {
  readonly overload: number | undefined
  readonly lowOutput: number | undefined
}
/** A moment found in advance, and the conditions at it. */
interface Forecast extends Moment {
  readonly since: Since
}
const NOTHING: Since = { overload: undefined, lowOutput: undefined }

/**
 * Watches a driven pin for `high_current` (the amount of its current above its limit) and `under_voltage` (its driver high, the pin below
 * the rail's minimum), each after 2 ms. Sources with a period up to 2 ms, such as a fast pwm, count by their mean. So a single overload
 * of less than 2 ms is ignored, but repeated ones can count.
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
  #next: Forecast = { ...NEVER, since: NOTHING }
  #timer: Timer | undefined

  constructor(clock: Clock, { node, changedMs }: Changed, drive: Drive, alert: (alerts: Alerts, atMs: number) => void) {
    this.#clock = clock
    this.#alert = alert
    this.#node = node
    this.#drive = drive
    this.#faults = new DriveFaults(node, drive)
    this.#fromMs = changedMs
    this.#arm()
  }

  /** Call this when the node or the drive has changed. May call `alert`, as its last action. */
  changed({ node, changedMs }: Changed, drive: Drive): void {
    if (node === this.#node && drive === this.#drive) return
    this.#settle(changedMs, () => {
      this.#node = node
      this.#drive = drive
      this.#faults = new DriveFaults(node, drive)
    })
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Conditions that were due before now count, however late this is called, even if the change that calls it ends them. */
  #settle(nowMs: number, change?: () => void): void {
    this.cancel()
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
    this.#next = this.#forecast()
    if (this.#next.atMs === Number.POSITIVE_INFINITY) return
    this.#timer = this.#clock.after(Math.max(0, this.#next.atMs - this.#clock.now()), () => this.#settle(this.#clock.now()))
  }

  /**
   * When a condition will have lasted long enough if nothing changes. Two periods show all of them, including one across the end of the
   * first.
   */
  #forecast(): Forecast {
    const { fromMs, periodMs } = this.#faults.regular
    const enoughMs = Math.max(this.#fromMs, fromMs) + 2 * periodMs
    let atMs = this.#fromMs
    let since = this.#since
    const isFine = since.overload === undefined && since.lowOutput === undefined
    if (isFine && !this.#node.isSteady && this.#faults.areExcluded) return { ...NEVER, since }
    for (let changes = 0; changes <= CHANGES_AT_ONCE; changes += this.#node.edgeCost) {
      since = this.#step(since, atMs)
      const next = this.#faults.changeAfter(atMs, this.#fromMs)
      const due = Math.min(dueOf(since.overload), dueOf(since.lowOutput))
      if (due < next) return { found: true, atMs: due, since }
      if (next === Number.POSITIVE_INFINITY || atMs > enoughMs) return { ...NEVER, since }
      atMs = next
    }
    return { found: false, atMs, since }
  }

  /** The conditions just before `nowMs`. One that still counts began at most 2 ms ago, or it would have been due. */
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

/** When a condition that began at this time will have lasted long enough. */
function dueOf(sinceMs: number | undefined): number {
  return (sinceMs ?? Number.POSITIVE_INFINITY) + OVERLOAD_MS
}
