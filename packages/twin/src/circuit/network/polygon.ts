import { type Leg, type Source, type SourceLaw, steps } from '../branch.ts'

/** A corner of a polygon: the current that flows through the part at a voltage across it. */
export interface Corner {
  readonly volts: number
  readonly amps: number
}

/** Resistance that stands for no current: a part that blocks leaks this little. */
const BLOCKED_OHMS = 1e12

/**
 * A part whose current is a polygon over the voltage across it: a diode, a current source. Both only rise, so each circuit of such parts has
 * exactly one solution. Each side is a Thevenin leg; the network chooses the side that fits.
 */
export class Polygon implements Source {
  /** The voltages at which one side ends and the next begins; ascending. */
  readonly bounds: readonly number[]
  /** One more than the bounds. */
  readonly sides: readonly Leg[]
  readonly extremes: readonly Leg[]
  /** Voltage without current. */
  readonly openVolts: number
  readonly periodMs = 0
  readonly repeats = true
  readonly isStepped = true
  readonly regularFromMs = Number.NEGATIVE_INFINITY

  /** `corners` rise in both figures. The outer sides continue with these resistances, by default without a current. */
  constructor(
    corners: readonly Corner[],
    outer: { readonly firstOhms?: number | undefined; readonly lastOhms?: number | undefined },
    openVolts = 0,
  ) {
    const { firstOhms = BLOCKED_OHMS, lastOhms = BLOCKED_OHMS } = outer
    this.bounds = corners.map(({ volts }) => volts)
    const [first = ORIGIN] = corners
    const last = corners.at(-1) ?? ORIGIN
    const between = corners.slice(1).map((corner, index) => through(corners[index] ?? ORIGIN, corner))
    this.sides = [sideOf(first, firstOhms), ...between, sideOf(last, lastOhms)]
    const byOhms = this.sides.toSorted((a, b) => a.ohms - b.ohms)
    this.extremes = [byOhms.at(-1) ?? OPEN, byOhms[0] ?? OPEN].map(({ ohms }) => ({ volts: openVolts, ohms }))
    this.openVolts = openVolts
  }

  /** The number of the side that contains a voltage. */
  sideAt(volts: number): number {
    const found = this.bounds.findIndex((bound) => bound > volts)
    return found < 0 ? this.bounds.length : found
  }

  /** The voltages between which a side holds. */
  rangeOf(side: number): readonly [low: number, high: number] {
    return [this.bounds[side - 1] ?? Number.NEGATIVE_INFINITY, this.bounds[side] ?? Number.POSITIVE_INFINITY]
  }

  leg(side: number): Leg {
    return this.sides[side] ?? OPEN
  }

  legAt(): Leg {
    return this.leg(this.sideAt(0))
  }

  turnAfter(): number {
    return Number.POSITIVE_INFINITY
  }

  turnUpTo(): number {
    return Number.NEGATIVE_INFINITY
  }

  lawAt(): SourceLaw {
    return steps(this.legAt(), Number.POSITIVE_INFINITY)
  }
}

const ORIGIN: Corner = { volts: 0, amps: 0 }
const OPEN: Leg = { volts: 0, ohms: BLOCKED_OHMS }

function sideOf({ volts, amps }: Corner, ohms: number): Leg {
  return { volts: volts - amps * ohms, ohms }
}

function through(from: Corner, to: Corner): Leg {
  return sideOf(from, Math.min((to.volts - from.volts) / (to.amps - from.amps), BLOCKED_OHMS))
}
