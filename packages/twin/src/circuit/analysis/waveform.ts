import { type Curve, firstBeyond, type Range, type Side } from '../events/zero-crossing.ts'

const TURN = 2 * Math.PI
/** Phases closer than this are equal, except for rounding. */
const SAME_PHASE_TURNS = 1e-9

/** `amplitude` × sin(`radiansPerMs` × t + `phase`). */
export interface SineTerm {
  readonly amplitude: number
  readonly radiansPerMs: number
  readonly phase: number
}

/** A sum of terms in t, the ms since `originMs`. */
export interface Terms {
  readonly originMs: number
  readonly constant: number
  readonly slope: number
  readonly sines: readonly SineTerm[]
  /** The natural response: what decays. */
  readonly natural: Curve | undefined
}

/** A voltage or a current during an interval, as a formula. */
export class Waveform implements Curve {
  constructor(readonly terms: Terms) {}

  at(ms: number): number {
    const { originMs, constant, slope, sines, natural } = this.terms
    const t = ms - originMs
    let sum = slope === 0 ? constant : constant + slope * t
    for (const { amplitude, radiansPerMs, phase } of sines) sum += amplitude * Math.sin(radiansPerMs * t + phase)
    return natural === undefined ? sum : sum + natural.at(t)
  }

  range(fromMs: number, toMs: number): Range {
    const { originMs, constant, slope, sines, natural } = this.terms
    const [from, to] = [fromMs - originMs, toMs - originMs]
    const ramp = between(constant + slope * from, constant + slope * to)
    return sumOf(ramp, sines, (sine) => sineRange(sine, from, to), natural?.range(from, to))
  }

  slopes(fromMs: number, toMs: number): Range {
    const { originMs, slope, sines, natural } = this.terms
    const [from, to] = [fromMs - originMs, toMs - originMs]
    return sumOf([slope, slope], sines, (sine) => sineRange(derivative(sine), from, to), natural?.slopes(from, to))
  }

  /**
   * The first moment in (`fromMs`, `toMs`] at which it is beyond the level, except for rounding; at `fromMs` it is not. Solved in closed
   * form for one term, bracketed for several.
   */
  firstBeyond(fromMs: number, toMs: number, level: number, side: Side, halvings?: number): number | undefined {
    const { originMs, constant, slope, sines, natural } = this.terms
    const [sine] = sines
    const terms = Number(slope !== 0) + sines.length
    if (terms > 1 || natural !== undefined) return firstBeyond(this, fromMs, toMs, level, side, halvings)
    let atMs: number | undefined
    if (sine !== undefined) atMs = sineCrossing(sine, originMs, fromMs, level - constant, side)
    else if (slope !== 0 && slope > 0 === (side === 'above')) atMs = originMs + (level - constant) / slope
    return atMs !== undefined && atMs <= toMs ? Math.max(atMs, fromMs) : undefined
  }
}

function derivative({ amplitude, radiansPerMs, phase }: SineTerm): SineTerm {
  return { amplitude: amplitude * radiansPerMs, radiansPerMs, phase: phase + TURN / 4 }
}

function sineCrossing(sine: SineTerm, originMs: number, fromMs: number, level: number, side: Side): number | undefined {
  const share = level / sine.amplitude
  if (!(Math.abs(share) < 1)) return undefined
  // A falling sine crosses half a turn after the rising sine of the opposite level.
  const rises = sine.amplitude > 0 === (side === 'above')
  const crossing = rises ? Math.asin(share) : TURN / 2 - Math.asin(share)
  const phase = sine.radiansPerMs * (fromMs - originMs) + sine.phase
  const turns = (crossing - phase) / TURN
  const ahead = turns - Math.floor(turns)
  // It is not beyond the level yet, so a crossing that seems to be just in the past is now.
  return ahead > 1 - SAME_PHASE_TURNS ? fromMs : fromMs + (ahead * TURN) / sine.radiansPerMs
}

function sineRange({ amplitude, radiansPerMs, phase }: SineTerm, from: number, to: number): Range {
  const [start, end] = [radiansPerMs * from + phase, radiansPerMs * to + phase]
  const [lowest, highest] = between(Math.sin(start), Math.sin(end))
  const top = passes(TURN / 4, start, end) ? 1 : highest
  const bottom = passes(-TURN / 4, start, end) ? -1 : lowest
  return between(amplitude * bottom, amplitude * top)
}

/** Whether the interval from `start` to `end` contains `phase` plus any number of turns. */
function passes(phase: number, start: number, end: number): boolean {
  return phase + Math.ceil((start - phase) / TURN) * TURN <= end
}

function between(a: number, b: number): Range {
  return a < b ? [a, b] : [b, a]
}

/** The sum of the ranges of a ramp, of sines and of the natural response. */
function sumOf(ramp: Range, sines: readonly SineTerm[], rangeOf: (sine: SineTerm) => Range, natural: Range = [0, 0]): Range {
  let [lowest, highest] = [ramp[0] + natural[0], ramp[1] + natural[1]]
  for (const sine of sines) {
    const [low, high] = rangeOf(sine)
    lowest += low
    highest += high
  }
  return [lowest, highest]
}
