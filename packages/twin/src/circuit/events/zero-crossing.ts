/** Lowest and highest value. */
export type Range = readonly [lowest: number, highest: number]

/** A smooth function of time with proven bounds of its value and slope on an interval. */
export interface Curve {
  at(ms: number): number
  range(fromMs: number, toMs: number): Range
  slopes(fromMs: number, toMs: number): Range
}

export type Side = 'above' | 'below'

export function isBeyond(value: number, level: number, side: Side): boolean {
  return side === 'above' ? value > level : value < level
}

/** Ignores parts of a curve that are beyond a level for less than this: 1 ns. */
const RESOLUTION_MS = 1e-6
/** Limit of halvings in one search; after it, only the ends of the remaining intervals are checked. */
const MAX_HALVINGS = 500
/** Moments closer than this are one: a femtosecond. */
const SAME_MOMENT_MS = 1e-12
/** Limit of steps on a monotonic interval. Every third one halves it, the others usually gain much more. */
const MAX_STEPS = 80

/**
 * The first moment in (`fromMs`, `toMs`] at which the curve is beyond the level; at `fromMs` it is not. Skips intervals whose proven range
 * excludes the level, solves monotonic ones by false position, and halves all others.
 */
export function firstBeyond(
  curve: Curve,
  fromMs: number,
  toMs: number,
  level: number,
  side: Side,
  mostHalvings = MAX_HALVINGS,
): number | undefined {
  const waiting: [number, number][] = [[fromMs, toMs]]
  let halvings = 0
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const [from, to] = stretch
    const [lowest, highest] = curve.range(from, to)
    if (!isBeyond(side === 'above' ? highest : lowest, level, side)) continue
    const endsBeyond = isBeyond(curve.at(to), level, side)
    if (goesOneWay(curve, from, to) || to - from <= RESOLUTION_MS || halvings >= mostHalvings) {
      if (endsBeyond) return crossingIn(curve, from, to, level, side)
      continue
    }
    halvings++
    const middle = (from + to) / 2
    waiting.push([middle, to], [from, middle])
  }
  return undefined
}

/** The last moment in [`fromMs`, `toMs`] at which the curve is beyond the level; at `toMs` it is not. */
export function lastBeyond(curve: Curve, fromMs: number, toMs: number, level: number, side: Side): number | undefined {
  const mirror = (ms: number): number => fromMs + (toMs - ms)
  const mirrored: Curve = {
    at: (ms) => curve.at(mirror(ms)),
    range: (from, to) => curve.range(mirror(to), mirror(from)),
    slopes: (from, to) => {
      const [lowest, highest] = curve.slopes(mirror(to), mirror(from))
      return [-highest, -lowest]
    },
  }
  const found = firstBeyond(mirrored, fromMs, toMs, level, side)
  return found === undefined ? undefined : mirror(found)
}

function goesOneWay(curve: Curve, fromMs: number, toMs: number): boolean {
  const [lowest, highest] = curve.slopes(fromMs, toMs)
  return lowest >= 0 || highest <= 0
}

/** The first moment beyond the level on a monotonic interval that ends beyond it: false position (Illinois), each third step a bisection. */
function crossingIn(curve: Curve, fromMs: number, toMs: number, level: number, side: Side): number {
  let [before, beyond] = [fromMs, toMs]
  let [within, out] = [curve.at(before) - level, curve.at(beyond) - level]
  let last: boolean | undefined
  for (let times = 0; times < MAX_STEPS && beyond - before > SAME_MOMENT_MS; times++) {
    const secant = before + (beyond - before) * (within / (within - out))
    const isUseful = times % 3 < 2 && secant > before && secant < beyond
    const middle = isUseful ? secant : (before + beyond) / 2
    if (middle <= before || middle >= beyond) break
    const rest = curve.at(middle) - level
    const isOut = isBeyond(rest, 0, side)
    if (isOut) [beyond, out] = [middle, rest]
    else [before, within] = [middle, rest]
    if (isOut === last) [within, out] = isOut ? [within / 2, out] : [within, out / 2]
    last = isOut
  }
  return beyond
}
