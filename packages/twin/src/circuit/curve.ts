/** Lowest and highest of something. */
export type Range = readonly [lowest: number, highest: number]

/** A smooth function of time that can say, proven, between which values it and its slope stay on a stretch of time. */
export interface Curve {
  at(ms: number): number
  range(fromMs: number, toMs: number): Range
  slopes(fromMs: number, toMs: number): Range
}

export type Side = 'above' | 'below'

export function isBeyond(value: number, level: number, side: Side): boolean {
  return side === 'above' ? value > level : value < level
}

/** A curve that stays beyond a level for less than this is not looked at more closely: 1 ns. */
const RESOLUTION_MS = 1e-6
/** Stretches that one search may halve before it takes the rest as it looks from its ends. */
const MOST_HALVINGS = 500
/** Halvings that lead from any stretch to neighbouring numbers. */
const BISECTIONS = 80

/**
 * The first moment in (`fromMs`, `toMs`] at which the curve is beyond the level, which it is not at `fromMs`. Stretches whose proven
 * range excludes it are skipped, those that go one way only are bisected, all others halved.
 */
export function firstBeyond(curve: Curve, fromMs: number, toMs: number, level: number, side: Side): number | undefined {
  const waiting: [number, number][] = [[fromMs, toMs]]
  let halvings = 0
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const [from, to] = stretch
    const [lowest, highest] = curve.range(from, to)
    if (!isBeyond(side === 'above' ? highest : lowest, level, side)) continue
    const endsBeyond = isBeyond(curve.at(to), level, side)
    if (goesOneWay(curve, from, to) || to - from <= RESOLUTION_MS || halvings >= MOST_HALVINGS) {
      if (endsBeyond) return bisected(curve, from, to, level, side)
      continue
    }
    halvings++
    const middle = (from + to) / 2
    waiting.push([middle, to], [from, middle])
  }
  return undefined
}

/** The last moment in [`fromMs`, `toMs`] at which the curve is beyond the level, which it is not at `toMs`. */
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

/** The first moment beyond the level on a stretch that ends beyond it. */
function bisected(curve: Curve, fromMs: number, toMs: number, level: number, side: Side): number {
  let before = fromMs
  let beyond = toMs
  for (let times = 0; times < BISECTIONS; times++) {
    const middle = (before + beyond) / 2
    if (middle <= before || middle >= beyond) break
    if (isBeyond(curve.at(middle), level, side)) beyond = middle
    else before = middle
  }
  return beyond
}
