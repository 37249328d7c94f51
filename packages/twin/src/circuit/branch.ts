/** A Thevenin source: a voltage behind a resistance greater than 0. */
export interface Leg {
  readonly volts: number
  readonly ohms: number
}

/** Two legs in turn: `high` for `highMs` from `startMs` + k × `periodMs` on, `low` for the rest; 0 < `highMs` < `periodMs`. */
export interface Alternation {
  readonly startMs: number
  readonly periodMs: number
  readonly highMs: number
  readonly high: Leg
  readonly low: Leg
}

/** What hangs on a node: steady, or periodic in turn. */
export type Branch = Leg | Alternation

export function isAlternation(branch: Branch): branch is Alternation {
  return 'periodMs' in branch
}

/** Two legs in turn, or one of them where `highMs` leaves nothing of the other. */
export function alternate(timing: { startMs: number; periodMs: number; highMs: number }, high: Leg, low: Leg): Branch {
  if (timing.highMs <= 0) return low
  if (timing.highMs >= timing.periodMs) return high
  return { ...timing, high, low }
}

// Every moment is compared with the edges as they are computed here, so that a moment that was found by `edgeAfter` lies at or
// behind its edge whatever was rounded on the way.
const riseOf = (of: Alternation, cycle: number): number => of.startMs + cycle * of.periodMs
const fallOf = (of: Alternation, cycle: number): number => riseOf(of, cycle) + of.highMs

/** Number of the period that `atMs` lies in: how many high parts began from number 1 on. */
export function highPartsBegun(of: Alternation, atMs: number): number {
  const cycle = Math.floor((atMs - of.startMs) / of.periodMs)
  if (riseOf(of, cycle) > atMs) return cycle - 1
  return riseOf(of, cycle + 1) <= atMs ? cycle + 1 : cycle
}

/** Number of the last high part that ended by `atMs`. */
export function highPartsEnded(of: Alternation, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  return fallOf(of, cycle) <= atMs ? cycle : cycle - 1
}

/** The leg that counts at `atMs`; at an edge it is the new one. */
export function legAt(branch: Branch, atMs: number): Leg {
  if (!isAlternation(branch)) return branch
  return atMs < fallOf(branch, highPartsBegun(branch, atMs)) ? branch.high : branch.low
}

/** The first edge after `atMs`. */
export function edgeAfter(of: Alternation, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  const fall = fallOf(of, cycle)
  return atMs < fall ? fall : riseOf(of, cycle + 1)
}

/** The last edge at or before `atMs`. */
export function edgeUpTo(of: Alternation, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  const fall = fallOf(of, cycle)
  return fall <= atMs ? fall : riseOf(of, cycle)
}
