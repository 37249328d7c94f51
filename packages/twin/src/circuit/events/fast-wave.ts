import type { CircuitNode } from '../analysis/circuit-node.ts'

import type { Waveform } from '../analysis/waveform.ts'
import { SAME_EDGE_MS, type Source } from '../branch.ts'
import type { Band } from './band.ts'

/** A wave is fast beside others that are slower by this factor. */
const MIN_RATIO = 4

/** A time in which each period of the fast wave does the same to the level. */
export interface Zone {
  readonly untilMs: number
  /** Whether the voltage is above the band, and below it, somewhere in each period. */
  readonly reachesHigh: boolean
  readonly reachesLow: boolean
}

/**
 * One fast wave beside slow sources. The voltage swings between two envelopes, those of the lowest and of the highest voltage of the wave.
 * A zone ends where an envelope crosses a level, or a slow source has an edge. Between them whole periods can be skipped.
 */
export class FastWave {
  private constructor(
    private readonly node: CircuitNode,
    private readonly band: Band,
    readonly wave: Source,
  ) {}

  /** Undefined for a circuit with states or segments, with a common period, or with several fast waves. */
  static of(node: CircuitNode, band: Band): FastWave | undefined {
    if (node.hasStates || !node.circuit.isLinear || node.periodMs() < Number.POSITIVE_INFINITY) return undefined
    const [wave, next] = node.moving.filter(({ periodMs }) => periodMs > 0).sort((a, b) => a.periodMs - b.periodMs)
    if (wave === undefined || next === undefined || !wave.repeats) return undefined
    return next.periodMs >= MIN_RATIO * wave.periodMs ? new FastWave(node, band, wave) : undefined
  }

  zoneAt(atMs: number): Zone {
    const { lowVolts, highVolts } = this.band
    const envelopes = this.wave.extremes.map((equivalent) => this.node.waveformAt(atMs, { source: this.wave, equivalent }))
    const edgeMs = this.node.edgeAfter(atMs, this.wave.periodMs)
    const crossings = envelopes.flatMap((waveform) =>
      [lowVolts, highVolts].map((level) => crossing(waveform, atMs, edgeMs, level)),
    )
    const untilMs = Math.max(Math.min(edgeMs, ...crossings), atMs + SAME_EDGE_MS)
    const middleMs = untilMs === Number.POSITIVE_INFINITY ? atMs : (atMs + untilMs) / 2
    const volts = envelopes.map((waveform) => waveform.at(middleMs))
    return { untilMs, reachesHigh: Math.max(...volts) > highVolts, reachesLow: Math.min(...volts) < lowVolts }
  }

  /** The last edge of a slow source up to a moment. */
  slowEdgeUpTo(atMs: number): number {
    return Math.max(...this.node.moving.filter((source) => source !== this.wave).map((source) => source.turnUpTo(atMs)))
  }
}

function crossing(waveform: Waveform, fromMs: number, toMs: number, level: number): number {
  return waveform.firstBeyond(fromMs, toMs, level, waveform.at(fromMs) > level ? 'below' : 'above') ?? Number.POSITIVE_INFINITY
}
