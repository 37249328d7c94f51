import type { CircuitNode } from '../analysis/circuit-node.ts'
import type { Waveform } from '../analysis/waveform.ts'
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
  let atMs = toMs
  for (let edges = 0; edges < LOOK_AHEAD_EDGES; edges++) {
    const edgeMs = Math.max(node.edgeUpTo(atMs), fromMs)
    const decided = decidedBetween(node, band, edgeMs, atMs)
    if (decided !== undefined || edgeMs <= fromMs) return decided
    // More than a period ago, the voltage only repeats.
    const isRegular = edgeMs <= toMs - node.periodMs() - SAME_EDGE_MS && node.regularFromMs < edgeMs
    atMs = Math.max(fromMs, isRegular ? node.regularFromMs : edgeMs - SAME_EDGE_MS)
  }
  return undefined
}

/** The same for an interval in which no source turns: from segment to segment. */
function decidedBetween(node: CircuitNode, band: Band, fromMs: number, toMs: number): boolean | undefined {
  let decided = decidedBy(band, node.voltsAt(toMs))
  if (decided !== undefined || node.isStepped) return decided
  for (let [startMs, endMs] = [fromMs, fromMs]; endMs < toMs; startMs = endMs) {
    endMs = Math.min(toMs, Math.max(node.circuit.segmentChangeAfter(startMs), startMs + SAME_EDGE_MS))
    const waveform = node.waveformAt(startMs)
    decided = decidedBy(band, waveform.at(endMs)) ?? lastOf(waveform, band, startMs, endMs) ?? decided
  }
  return decided
}

/** The same for one waveform that ends inside the band. */
function lastOf(waveform: Waveform, band: Band, fromMs: number, toMs: number): boolean | undefined {
  const high = lastBeyond(waveform, fromMs, toMs, band.highVolts, 'above') ?? Number.NEGATIVE_INFINITY
  const low = lastBeyond(waveform, fromMs, toMs, band.lowVolts, 'below') ?? Number.NEGATIVE_INFINITY
  return high === low ? decidedBy(band, waveform.at(fromMs)) : high > low
}
