import type { Law } from '../law.ts'
import type { Matrix } from '../memory/matrix.ts'
import type { Propagator } from '../memory/propagator.ts'
import type { StatePiece } from '../memory/state-piece.ts'

/** The voltage across a polygon, and the range of its present side. */
export interface Watched {
  readonly law: Law
  readonly low: number
  readonly high: number
}

/** When a polygon leaves its side, which one, and upwards (1) or downwards (-1). */
export interface Bend {
  readonly atMs: number
  readonly port: number
  readonly step: number
}

const NEVER: Bend = { atMs: Number.POSITIVE_INFINITY, port: -1, step: 0 }
/** Looks from the start on at times that grow by this factor, from this share of the whole time on. */
const GROWTH = 1.25
const FIRST_SHARE = 1e-9
/** Where energy swings between coils and capacitors: at most this angle from look to look, in radians, for so many looks. */
const MOST_RADIANS = 0.3
const MOST_SWINGING = 1000
/** Halvings of the time between two looks. */
const HALVINGS = 45

/**
 * The first moment after `fromMs` at which a voltage is outside its side. With more than two memories, or if they swing, it looks at single
 * moments: a voltage that leaves its side and returns between two of them is on the longer side for so long.
 */
export function firstOutside(
  watched: readonly Watched[],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  memory: StatePiece | undefined,
): Bend {
  const isLooked = memory !== undefined && watched.some(({ law }) => law.terms.transient !== undefined)
  return isLooked ? firstSeen(watched, fromMs, untilMs, swingPerMs(memory)) : firstSolved(watched, fromMs, untilMs)
}

function firstSolved(watched: readonly Watched[], fromMs: number, untilMs: number): Bend {
  let bend = NEVER
  for (const [port, { law, low, high }] of watched.entries()) {
    for (const [level, side, step] of [
      [high, 'above', 1],
      [low, 'below', -1],
    ] as const) {
      const atMs = Number.isFinite(level) ? law.firstBeyond(fromMs, Math.min(bend.atMs, untilMs), level, side) : undefined
      if (atMs !== undefined) bend = { atMs, port, step }
    }
  }
  return bend
}

function firstSeen(watched: readonly Watched[], fromMs: number, untilMs: number, swing: number): Bend {
  const longest = MOST_RADIANS / swing
  let before = fromMs
  let step = (untilMs - fromMs) * FIRST_SHARE
  for (let looks = 0; before < untilMs; looks++) {
    const atMs = Math.min(untilMs, before + step)
    const bend = outside(watched, atMs)
    if (bend !== undefined) return halved(watched, before, bend)
    before = atMs
    step = Math.min(step * GROWTH, looks < MOST_SWINGING ? longest : Number.POSITIVE_INFINITY)
  }
  return NEVER
}

/** The moment between these two at which the first voltage leaves its side. */
function halved(watched: readonly Watched[], insideMs: number, found: Bend): Bend {
  let inside = insideMs
  let bend = found
  for (let times = 0; times < HALVINGS; times++) {
    const middle = (inside + bend.atMs) / 2
    if (middle <= inside || middle >= bend.atMs) break
    const earlier = outside(watched, middle)
    if (earlier === undefined) inside = middle
    else bend = earlier
  }
  return bend
}

function outside(watched: readonly Watched[], atMs: number): Bend | undefined {
  for (const [port, { law, low, high }] of watched.entries()) {
    const volts = law.at(atMs)
    if (volts > high) return { atMs, port, step: 1 }
    if (volts < low) return { atMs, port, step: -1 }
  }
  return undefined
}

const swings = new WeakMap<Propagator, number>()

/** Upper bound of the angular frequency with which energy swings between coils and capacitors: that of the part that keeps the energy. */
function swingPerMs({ forced: { propagator, system } }: StatePiece): number {
  const known = swings.get(propagator)
  if (known !== undefined) return known
  const found = skewNorm(propagator.matrix, system.weights.map(Math.sqrt))
  swings.set(propagator, found)
  return found
}

function skewNorm(matrix: Matrix, roots: readonly number[]): number {
  const weighed = matrix.map((row, index) => row.map((rate, column) => (rate * (roots[index] ?? 1)) / (roots[column] ?? 1)))
  const sums = weighed.map((row, index) =>
    row.reduce((sum, rate, column) => sum + Math.abs(rate - (weighed[column]?.[index] ?? 0)) / 2, 0),
  )
  return Math.max(...sums)
}
