import { Source, type Thevenin } from '../branch.ts'

/** A breakpoint of a characteristic: the current that flows through the part at a voltage across it. */
export interface Breakpoint {
  readonly volts: number
  readonly amps: number
}

/** Resistance that stands for no current: a part that blocks leaks this little. */
const BLOCKED_OHMS = 1e12

/**
 * A part whose current is piecewise linear in the voltage across it: a diode, a current source. Both only rise, so each circuit of such parts has
 * exactly one solution. Each segment is a Thevenin equivalent; the network chooses the segment that fits.
 */
export class PiecewiseLinear extends Source {
  /** The voltages at which one segment ends and the next begins; ascending. */
  readonly bounds: readonly number[]
  /** One more than the bounds. */
  readonly segments: readonly Thevenin[]
  readonly extremes: readonly Thevenin[]

  /** `breakpoints` rise in both figures. The outer segments continue with these resistances, by default without a current. */
  constructor(
    breakpoints: readonly Breakpoint[],
    outer: { readonly firstOhms?: number | undefined; readonly lastOhms?: number | undefined },
    /** Voltage without current. */
    readonly openVolts = 0,
  ) {
    super()
    const { firstOhms = BLOCKED_OHMS, lastOhms = BLOCKED_OHMS } = outer
    this.bounds = breakpoints.map(({ volts }) => volts)
    const [first = ORIGIN] = breakpoints
    const last = breakpoints.at(-1) ?? ORIGIN
    const between = breakpoints.slice(1).map((breakpoint, index) => through(breakpoints[index] ?? ORIGIN, breakpoint))
    this.segments = [segmentThrough(first, firstOhms), ...between, segmentThrough(last, lastOhms)]
    const byOhms = this.segments.toSorted((a, b) => a.ohms - b.ohms)
    this.extremes = [byOhms.at(-1) ?? OPEN, byOhms[0] ?? OPEN].map(({ ohms }) => ({ volts: openVolts, ohms }))
  }

  /** The number of the segment that contains a voltage. */
  segmentAt(volts: number): number {
    const found = this.bounds.findIndex((bound) => bound > volts)
    return found < 0 ? this.bounds.length : found
  }

  /** The voltages between which a segment holds. */
  rangeOf(segment: number): readonly [low: number, high: number] {
    return [this.bounds[segment - 1] ?? Number.NEGATIVE_INFINITY, this.bounds[segment] ?? Number.POSITIVE_INFINITY]
  }

  equivalent(segment: number): Thevenin {
    return this.segments[segment] ?? OPEN
  }

  theveninAt(): Thevenin {
    return this.equivalent(this.segmentAt(0))
  }
}

const ORIGIN: Breakpoint = { volts: 0, amps: 0 }
const OPEN: Thevenin = { volts: 0, ohms: BLOCKED_OHMS }

function segmentThrough({ volts, amps }: Breakpoint, ohms: number): Thevenin {
  return { volts: volts - amps * ohms, ohms }
}

function through(from: Breakpoint, to: Breakpoint): Thevenin {
  return segmentThrough(from, Math.min((to.volts - from.volts) / (to.amps - from.amps), BLOCKED_OHMS))
}
