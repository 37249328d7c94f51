import type { Clock, Timer } from '@slotwire/core'
import { type CircuitNode, CrossingSearch, type Moment, NEVER, type Source, type Terminal, type Thevenin } from '@slotwire/twin'
import type { Drive } from './circuit.ts'
import type { Alerts } from './firmware-announcer.ts'

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
  #node: CircuitNode
  #faults: DriveFaults
  #fromMs: number
  /** The conditions at `#fromMs`. */
  #since: Since = NOTHING
  #next: Forecast = { ...NEVER, since: NOTHING }
  #timer: Timer | undefined

  constructor(
    private readonly clock: Clock,
    { node, changedMs }: Changed,
    private drive: Drive,
    private readonly alert: (alerts: Alerts, atMs: number) => void,
  ) {
    this.#node = node
    this.#faults = new DriveFaults(node, drive)
    this.#fromMs = changedMs
    this.#arm()
  }

  /** Call this when the node or the drive has changed. May call `alert`, as its last action. */
  changed({ node, changedMs }: Changed, drive: Drive): void {
    if (node === this.#node && drive === this.drive) return
    this.#settle(changedMs, () => {
      this.#node = node
      this.drive = drive
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
      this.alert({ ...highCurrent, ...underVoltage }, atMs)
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
    this.#timer = this.clock.after(Math.max(0, this.#next.atMs - this.clock.now()), () => this.#settle(this.clock.now()))
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

/** Sources with a period up to this count by their mean. */
const FAST_MS = 2
/** Rounding in the solution of a node must not count as an overload: a microvolt or microampere. */
const TOLERANCE = 1e-6
/** With fast and slow sources together, their mean is checked in steps: first this long, then a share of the time passed. */
const FIRST_STEP_MS = 2
const STEP_SHARE = 1 / 4
/** Number of halvings of a step to find the moment of a change. */
const BISECTIONS = 20

/** The faults of a driven pin at a moment. */
interface Faults {
  readonly overload: boolean
  readonly lowOutput: boolean
}

/**
 * The faults of a driven pin over one unchanged node. `overload`: the amount of its current is above its limit. `lowOutput`: its driver
 * is high and the pin is below the rail's minimum. Slow sources are followed exactly, including crossings of a sine, a ramp or a decaying
 * current.
 */
class DriveFaults {
  readonly #hasFast: boolean
  /** Whether faults can change only at the edges of slow sources. */
  readonly #isStepped: boolean
  /** The last result: the steps of a search meet at their ends. */
  #last: { readonly atMs: number; readonly faults: Faults } | undefined

  constructor(
    private readonly node: CircuitNode,
    private readonly drive: Drive,
  ) {
    const slow = node.moving.filter((source) => !isFast(source))
    this.#hasFast = slow.length < node.moving.length
    this.#isStepped = !node.hasStates && slow.every((source) => source.isStepped)
  }

  /** From `fromMs` on everything repeats with `periodMs`, if a slow source moves at all. */
  get regular(): { readonly fromMs: number; readonly periodMs: number } {
    return { fromMs: this.node.regularFromMs, periodMs: this.node.periodMs(FAST_MS) }
  }

  /** Whether no fault is possible, whatever the sources do. */
  get areExcluded(): boolean {
    const { branch, high, minimumVolts } = this.drive
    return branch.extremes.every((equivalent) => {
      const [lowest, highest] = this.node.bounds({ source: branch, equivalent })
      const [least, most] = this.#allowed(equivalent)
      return lowest >= least && highest <= most && (equivalent !== high || lowest >= minimumVolts - TOLERANCE)
    })
  }

  at(atMs: number): Faults {
    if (this.#last?.atMs !== atMs) {
      const { limitAmps, minimumVolts } = this.drive
      const overload = this.#meanAmps(atMs) > limitAmps + TOLERANCE
      const lowOutput = this.#isHigh(atMs) && this.#meanVolts(atMs) < minimumVolts - TOLERANCE
      this.#last = { atMs, faults: { overload, lowOutput } }
    }
    return this.#last.faults
  }

  /** The first moment after `atMs` at which the faults may change; infinite: never. `sinceMs` is how far back they were followed. */
  changeAfter(atMs: number, sinceMs: number): number {
    const edgeMs = this.node.edgeAfter(atMs, FAST_MS)
    if (this.#isStepped) return edgeMs
    return this.#hasFast ? this.#sampledChange(atMs, sinceMs, edgeMs) : Math.min(edgeMs, ...this.#crossings(atMs, edgeMs))
  }

  /** Where the voltage crosses a level that starts or ends a fault, before the next edge. */
  #crossings(atMs: number, edgeMs: number): number[] {
    const { branch, high, minimumVolts } = this.drive
    const equivalent = branch.theveninAt(atMs)
    const volts = this.node.voltsAt(atMs)
    const levels = [...this.#allowed(equivalent), ...(equivalent === high ? [minimumVolts - TOLERANCE] : [])]
    return levels.flatMap((level) => {
      const above = volts > level ? undefined : new CrossingSearch(this.node, atMs, 1).next(level, 'above', edgeMs)
      const below = volts < level ? undefined : new CrossingSearch(this.node, atMs, 1).next(level, 'below', edgeMs)
      return [above, below].flatMap((moment) => (moment?.found === true ? [moment.atMs] : []))
    })
  }

  #sampledChange(atMs: number, sinceMs: number, edgeMs: number): number {
    const before = this.at(atMs)
    let same = atMs
    let other = Math.min(edgeMs, atMs + Math.max(FIRST_STEP_MS, (atMs - sinceMs) * STEP_SHARE))
    if (other === edgeMs || areSame(this.at(other), before)) return other
    for (let times = 0; times < BISECTIONS; times++) {
      const middle = (same + other) / 2
      if (areSame(this.at(middle), before)) same = middle
      else other = middle
    }
    return other
  }

  /** The voltage range of the pin in which its current is within its limit while the driver shows `equivalent`. */
  #allowed(equivalent: Thevenin): readonly [number, number] {
    const drop = (this.drive.limitAmps + TOLERANCE) * equivalent.ohms
    return [equivalent.volts - drop, equivalent.volts + drop]
  }

  #meanAmps(atMs: number): number {
    return this.node.mean(atMs, FAST_MS, (volts, theveninOf) => {
      const equivalent = theveninOf(this.drive.branch)
      return Math.abs(equivalent.volts - volts) / equivalent.ohms
    })
  }

  #meanVolts(atMs: number): number {
    return this.node.mean(atMs, FAST_MS, (volts) => volts)
  }

  /** Whether the driver holds the pin high. The high part of a fast pwm is too short to count. */
  #isHigh(atMs: number): boolean {
    const { branch, high } = this.drive
    return !isFast(branch) && branch.theveninAt(atMs) === high
  }
}

function isFast({ periodMs }: Source): boolean {
  return periodMs > 0 && periodMs <= FAST_MS
}

function areSame(a: Faults, b: Faults): boolean {
  return a.overload === b.overload && a.lowOutput === b.lowOutput
}
