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
const GROWTH = 2
const FIRST_SHARE = 1e-6
/** Where energy swings between coils and capacitors: at most this angle from look to look, in radians, for so many looks. */
const MOST_RADIANS = 0.3
const MOST_SWINGING = 1000
/** Narrows the time between two looks until it is this short: by false position first, then by halves. */
const RESOLUTION_MS = 1e-9
const FALSE_POSITIONS = 20
const MOST_TRIALS = 60

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
    if (bend !== undefined) return narrowed(watched, before, bend)
    before = atMs
    step = Math.min(step * GROWTH, looks < MOST_SWINGING ? longest : Number.POSITIVE_INFINITY)
  }
  return NEVER
}

/** The moment between these two at which the first voltage leaves its side: by false position, which halves where it stalls (Illinois). */
function narrowed(watched: readonly Watched[], insideMs: number, found: Bend): Bend {
  let [inside, within] = [insideMs, beyond(watched, found, insideMs)]
  let [bend, out] = [found, beyond(watched, found, found.atMs)]
  let stalled = 0
  for (let trials = 0; trials < MOST_TRIALS && bend.atMs - inside > RESOLUTION_MS; trials++) {
    const share = trials > FALSE_POSITIONS ? 1 / 2 : within / (within - out)
    const atMs = Math.min(
      Math.max(inside + share * (bend.atMs - inside), inside + RESOLUTION_MS / 2),
      bend.atMs - RESOLUTION_MS / 2,
    )
    const earlier = outside(watched, atMs)
    if (earlier === undefined) {
      ;[inside, within] = [atMs, beyond(watched, bend, atMs)]
      if (stalled > 0) out /= 2
      stalled = 1
    } else {
      if (earlier.port !== bend.port) within = beyond(watched, earlier, inside)
      ;[bend, out] = [earlier, beyond(watched, earlier, atMs)]
      if (stalled < 0) within /= 2
      stalled = -1
    }
  }
  return bend
}

/** How far a voltage is beyond the bound of this bend; negative while it is inside. */
function beyond(watched: readonly Watched[], { port, step }: Bend, atMs: number): number {
  const of = watched[port]
  if (of === undefined) return 0
  return step * (of.law.at(atMs) - (step > 0 ? of.high : of.low))
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
