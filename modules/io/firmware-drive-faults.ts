import { type Leg, NodeWalk, type SolvedNode, type Source } from '@slotwire/twin'

/** Sources with a period up to this count by their mean. */
const FAST_MS = 2
/** Rounding in the solution of a node must not count as an overload: a microvolt or microampere. */
const TOLERANCE = 1e-6
/** With fast and slow sources together, their mean is checked in steps: first this long, then a share of the time passed. */
const FIRST_STEP_MS = 2
const STEP_SHARE = 1 / 4
/** Number of halvings of a step to find the moment of a change. */
const BISECTIONS = 20

/** The drive of a pin and its limits. */
export interface Drive {
  readonly branch: Source
  readonly high: Leg
  readonly limitAmps: number
  readonly minimumVolts: number
}

/** The faults of a driven pin at a moment. */
export interface Faults {
  readonly overload: boolean
  readonly lowOutput: boolean
}

/**
 * The faults of a driven pin over one unchanged node. `overload`: the amount of its current is above its limit. `lowOutput`: its driver
 * is high and the pin is below the rail's minimum. Slow sources are followed exactly, including crossings of a sine, a ramp or a decaying
 * current.
 */
export class DriveFaults {
  readonly #node: SolvedNode
  readonly #drive: Drive
  readonly #hasFast: boolean
  /** Whether faults can change only at the edges of slow sources. */
  readonly #isStepped: boolean
  /** The last result: the steps of a search meet at their ends. */
  #last: { readonly atMs: number; readonly faults: Faults } | undefined

  constructor(node: SolvedNode, drive: Drive) {
    const slow = node.moving.filter((source) => !isFast(source))
    this.#node = node
    this.#drive = drive
    this.#hasFast = slow.length < node.moving.length
    this.#isStepped = !node.hasMemory && slow.every((source) => source.isStepped)
  }

  /** From `fromMs` on everything repeats with `periodMs`, if a slow source moves at all. */
  get regular(): { readonly fromMs: number; readonly periodMs: number } {
    return { fromMs: this.#node.regularFromMs, periodMs: this.#node.periodMs(FAST_MS) }
  }

  /** Whether no fault is possible, whatever the sources do. */
  get areExcluded(): boolean {
    const { branch, high, minimumVolts } = this.#drive
    return branch.extremes.every((leg) => {
      const [lowest, highest] = this.#node.bounds({ source: branch, leg })
      const [least, most] = this.#allowed(leg)
      return lowest >= least && highest <= most && (leg !== high || lowest >= minimumVolts - TOLERANCE)
    })
  }

  at(atMs: number): Faults {
    if (this.#last?.atMs !== atMs) {
      const { limitAmps, minimumVolts } = this.#drive
      const overload = this.#meanAmps(atMs) > limitAmps + TOLERANCE
      const lowOutput = this.#isHigh(atMs) && this.#meanVolts(atMs) < minimumVolts - TOLERANCE
      this.#last = { atMs, faults: { overload, lowOutput } }
    }
    return this.#last.faults
  }

  /** The first moment after `atMs` at which the faults may change; infinite: never. `sinceMs` is how far back they were followed. */
  changeAfter(atMs: number, sinceMs: number): number {
    const edgeMs = this.#node.edgeAfter(atMs, FAST_MS)
    if (this.#isStepped) return edgeMs
    return this.#hasFast ? this.#sampledChange(atMs, sinceMs, edgeMs) : Math.min(edgeMs, ...this.#crossings(atMs, edgeMs))
  }

  /** Where the voltage crosses a level that starts or ends a fault, before the next edge. */
  #crossings(atMs: number, edgeMs: number): number[] {
    const { branch, high, minimumVolts } = this.#drive
    const leg = branch.legAt(atMs)
    const volts = this.#node.voltsAt(atMs)
    const levels = [...this.#allowed(leg), ...(leg === high ? [minimumVolts - TOLERANCE] : [])]
    return levels.flatMap((level) => {
      const above = volts > level ? undefined : new NodeWalk(this.#node, atMs, 1).next(level, 'above', edgeMs)
      const below = volts < level ? undefined : new NodeWalk(this.#node, atMs, 1).next(level, 'below', edgeMs)
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

  /** The voltage range of the pin in which its current is within its limit while the driver shows `leg`. */
  #allowed(leg: Leg): readonly [number, number] {
    const drop = (this.#drive.limitAmps + TOLERANCE) * leg.ohms
    return [leg.volts - drop, leg.volts + drop]
  }

  #meanAmps(atMs: number): number {
    return this.#node.mean(atMs, FAST_MS, (volts, legOf) => {
      const leg = legOf(this.#drive.branch)
      return Math.abs(leg.volts - volts) / leg.ohms
    })
  }

  #meanVolts(atMs: number): number {
    return this.#node.mean(atMs, FAST_MS, (volts) => volts)
  }

  /** Whether the driver holds the pin high. The high part of a fast pwm is too short to count. */
  #isHigh(atMs: number): boolean {
    const { branch, high } = this.#drive
    return !isFast(branch) && branch.legAt(atMs) === high
  }
}

function isFast({ periodMs }: Source): boolean {
  return periodMs > 0 && periodMs <= FAST_MS
}

function areSame(a: Faults, b: Faults): boolean {
  return a.overload === b.overload && a.lowOutput === b.lowOutput
}
