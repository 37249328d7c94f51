import type { Waveform } from './waveform.ts'

/** The voltage across a part, and the range of its present segment. */
export interface Watched {
  readonly waveform: Waveform
  readonly low: number
  readonly high: number
}

/** When a part leaves its segment, which one, and upwards (1) or downwards (-1). */
export interface SegmentChange {
  readonly atMs: number
  readonly port: number
  readonly step: number
}

const NEVER: SegmentChange = { atMs: Number.POSITIVE_INFINITY, port: -1, step: 0 }

/** The first moment after `fromMs` at which a voltage is outside its segment. */
export function firstOutside(watched: readonly Watched[], fromMs: number, untilMs: number): SegmentChange {
  let change = NEVER
  for (const [port, { waveform, low, high }] of watched.entries()) {
    for (const [level, side, step] of [
      [high, 'above', 1],
      [low, 'below', -1],
    ] as const) {
      const atMs = Number.isFinite(level) ? waveform.firstBeyond(fromMs, Math.min(change.atMs, untilMs), level, side) : undefined
      if (atMs !== undefined) change = { atMs, port, step }
    }
  }
  return change
}
