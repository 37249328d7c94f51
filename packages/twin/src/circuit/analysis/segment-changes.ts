import type { PiecewiseLinear } from './piecewise-linear.ts'
import { fittingSegments, type Multiport } from './segments.ts'
import type { Waveform } from './waveform.ts'

/** A voltage leaves its segment this far beyond it, so that rounding cannot move it back. */
const BEYOND_VOLTS = 1e-6
/** Halvings of one search for such a moment. In stiff circuits bounds are loose; a segment that is left for a moment only changes little. */
const HALVINGS = 32

/** Shortest time on one set of segments: 1 ps. */
export const MIN_MS = 1e-9
/**
 * After so many times that each end on the segments before, each next one doubles the least time, up to 50 µs: in a circuit with time
 * constants 10¹² apart, rounding may put a voltage on either side of a breakpoint.
 */
const TIMES_TOLERATED = 12
const MAX_OF_MIN_MS = 0.05

/** The end of an interval: its segments, those after it, and how long the next interval is at least. */
interface End {
  readonly atMs: number
  readonly segments: string
  readonly next: readonly number[]
  readonly returns: number
  readonly leastMs: number
}

/** An interval with these segments. */
interface Span {
  readonly fromMs: number
  readonly turnMs: number
  readonly calmMs: number
  readonly segments: readonly number[]
}

/** Follows the segments of the piecewise-linear parts of a circuit from interval to interval. */
export class SegmentChanges {
  /** The segments found last: the next ones are near. */
  #near: readonly number[]
  #end: End | undefined

  constructor(private readonly parts: readonly PiecewiseLinear[]) {
    this.#near = parts.map((part) => part.segmentAt(0))
  }

  /** The segments that fit the rest of the circuit. */
  fitting(rest: () => Multiport): readonly number[] {
    if (this.parts.length > 0) this.#near = fittingSegments(this.parts, rest(), this.#near)
    return this.#near
  }

  /** The segments from a moment on. On a breakpoint, rounding must not choose the segment that was just left. */
  from(fromMs: number, rest: () => Multiport): readonly number[] {
    const fitting = this.fitting(rest)
    const before = this.#endAt(fromMs)
    return before?.segments === fitting.join(' ') ? before.next : fitting
  }

  /** The end of an interval with these segments, which the sources end at `turnMs`; nothing changes between `calmMs` and then. */
  endOf({ fromMs, turnMs, calmMs, segments }: Span, waveforms: readonly Waveform[]): number {
    const change = this.#firstOutside(segments, waveforms, fromMs, Math.min(turnMs, calmMs))
    const before = this.#endAt(fromMs)
    const leastMs = before?.leastMs ?? MIN_MS
    const untilMs = Math.min(turnMs, Math.max(change.atMs, fromMs + leastMs))
    const next = segments.map((segment, port) => segment + (port === change.port ? change.step : 0))
    const isReturn = change.atMs < fromMs + leastMs || (change.port >= 0 && before?.segments === next.join(' '))
    const returns = isReturn ? (before?.returns ?? 0) + 1 : 0
    const longerMs = returns > TIMES_TOLERATED ? Math.min(2 * Math.max(leastMs, untilMs - fromMs), MAX_OF_MIN_MS) : MIN_MS
    this.#end = { atMs: untilMs, segments: segments.join(' '), next, returns, leastMs: longerMs }
    return untilMs
  }

  /** When the voltage across a part first leaves its segment, across which part, and upwards (1) or downwards (-1). */
  #firstOutside(segments: readonly number[], waveforms: readonly Waveform[], fromMs: number, untilMs: number) {
    let change = { atMs: Number.POSITIVE_INFINITY, port: -1, step: 0 }
    for (const [port, waveform] of waveforms.entries()) {
      const [low, high] = this.parts[port]?.rangeOf(segments[port] ?? 0) ?? []
      for (const [level = Number.NaN, side, step] of [
        [high, 'above', 1],
        [low, 'below', -1],
      ] as const) {
        if (!Number.isFinite(level)) continue
        const atMs = waveform.firstBeyond(fromMs, Math.min(change.atMs, untilMs), level + step * BEYOND_VOLTS, side, HALVINGS)
        if (atMs !== undefined) change = { atMs, port, step }
      }
    }
    return change
  }

  #endAt(atMs: number): End | undefined {
    return this.#end?.atMs === atMs ? this.#end : undefined
  }
}
