/** A periodic signal: high for `highMs` from `startMs` + k × `periodMs` on, low for the rest; 0 < `highMs` < `periodMs`. */
export interface Timing {
  readonly startMs: number
  readonly periodMs: number
  readonly highMs: number
}

// Only these two functions compute edges, so a moment from `edgeAfter` is at or after its edge in spite of rounding.
const riseOf = (of: Timing, cycle: number): number => of.startMs + cycle * of.periodMs
const fallOf = (of: Timing, cycle: number): number => riseOf(of, cycle) + of.highMs

/** Number of the period that contains `atMs`; period 0 begins at `startMs`. */
export function highPartsBegun(of: Timing, atMs: number): number {
  const cycle = Math.floor((atMs - of.startMs) / of.periodMs)
  if (riseOf(of, cycle) > atMs) return cycle - 1
  return riseOf(of, cycle + 1) <= atMs ? cycle + 1 : cycle
}

/** Whether `atMs` is in a high part; at an edge the new part counts. */
export function isHighAt(of: Timing, atMs: number): boolean {
  return atMs < fallOf(of, highPartsBegun(of, atMs))
}

/** The first edge after `atMs`. */
export function edgeAfter(of: Timing, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  const fall = fallOf(of, cycle)
  return atMs < fall ? fall : riseOf(of, cycle + 1)
}

/** The last edge at or before `atMs`. */
export function edgeUpTo(of: Timing, atMs: number): number {
  const cycle = highPartsBegun(of, atMs)
  const fall = fallOf(of, cycle)
  return fall <= atMs ? fall : riseOf(of, cycle)
}
