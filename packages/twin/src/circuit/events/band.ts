import type { CircuitNode } from '../analysis/circuit-node.ts'
import { SAME_EDGE_MS } from '../branch.ts'
import { LOOK_AHEAD_EDGES } from './crossing-search.ts'
import { lastBeyond } from './zero-crossing.ts'

/** A level with hysteresis: high above `highVolts`, low below `lowVolts`, unchanged between them. */
export interface Band {
  readonly lowVolts: number
  readonly highVolts: number
}

/** Rounding in the solution of a node must not change a level: a microvolt. */
const TOLERANCE_VOLTS = 1e-6

/** The band with a tolerance, so that a voltage at exactly one of its levels does not change the level. */
export function tolerant({ lowVolts, highVolts }: Band): Band {
  return { lowVolts: lowVolts - TOLERANCE_VOLTS, highVolts: highVolts + TOLERANCE_VOLTS }
}

/** The level that a voltage determines; undefined inside the band. */
export function decidedBy(band: Band, volts: number): boolean | undefined {
  if (volts > band.highVolts) return true
  return volts < band.lowVolts ? false : undefined
}

/** The level that was determined last in [`fromMs`, `toMs`]; undefined if there was none within the last edges. */
export function lastDecided(node: CircuitNode, band: Band, fromMs: number, toMs: number): boolean | undefined {
  // Before this, the voltage only repeats.
  const enoughMs = toMs - node.periodMs() - SAME_EDGE_MS
  let atMs = toMs
  for (let edges = 0; edges < LOOK_AHEAD_EDGES; edges++) {
    const edgeMs = Math.max(node.edgeUpTo(atMs), fromMs)
    const decided = decidedBetween(node, band, edgeMs, atMs)
    if (decided !== undefined || edgeMs <= fromMs) return decided
    const isRegular = edgeMs <= enoughMs && node.regularFromMs < edgeMs
    atMs = Math.max(fromMs, isRegular ? node.regularFromMs : edgeMs - SAME_EDGE_MS)
  }
  return undefined
}

/** The same for an interval without edges. */
function decidedBetween(node: CircuitNode, band: Band, fromMs: number, toMs: number): boolean | undefined {
  const atEnd = decidedBy(band, node.voltsAt(toMs))
  if (atEnd !== undefined || node.isStepped) return atEnd
  const waveform = node.waveformAt(fromMs)
  const high = lastBeyond(waveform, fromMs, toMs, band.highVolts, 'above') ?? Number.NEGATIVE_INFINITY
  const low = lastBeyond(waveform, fromMs, toMs, band.lowVolts, 'below') ?? Number.NEGATIVE_INFINITY
  return high === low ? decidedBy(band, node.voltsAt(fromMs)) : high > low
}
