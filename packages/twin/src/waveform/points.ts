import type { CircuitNode } from '../circuit/analysis/circuit-node.ts'
import type { Waveform } from '../circuit/analysis/waveform.ts'

/** The voltage from a moment on. */
export interface TracePoint {
  /** Twin time. */
  readonly atMs: number
  readonly volts: number
  /** Whether a straight line leads here from the point before. Otherwise that point's voltage holds until now. */
  readonly isLine: boolean
}

/** Most deviation of a straight line from a curve, in volts: the resolution of the module. */
export const LINE_VOLTS = 0.01
/** A line before an edge ends this much earlier, so that a file of nanoseconds has the voltage before and after the edge. */
export const NANOSECOND_MS = 1e-6
/** Halvings of a curve between two edges. */
const HALVINGS = 40

/** The voltage of a node in [`fromMs`, `toMs`) as points: each edge, and on curves the ends of straight lines. Misses no pulse. */
export function* pointsOf(node: CircuitNode, fromMs: number, toMs: number): Generator<TracePoint> {
  let atMs = fromMs
  while (atMs < toMs) {
    const nextMs = Math.min(node.edgeAfter(atMs), toMs)
    if (node.isStepped) yield { atMs, volts: node.voltsAt(atMs), isLine: false }
    else {
      const waveform = node.waveformAt(atMs)
      yield { atMs, volts: node.clamped(waveform.at(atMs)), isLine: false }
      yield* linesOf(node, waveform, atMs, nextMs)
    }
    atMs = nextMs
  }
}

/** Ends of straight lines along a curve. Halves the time until bounds of the slope prove that a line is near enough. */
function* linesOf(node: CircuitNode, waveform: Waveform, fromMs: number, toMs: number): Generator<TracePoint> {
  let atMs = fromMs
  const ends = [toMs]
  for (let endMs = ends.at(-1); endMs !== undefined; endMs = ends.at(-1)) {
    if (!isStraight(node, waveform, atMs, endMs) && ends.length <= HALVINGS) {
      ends.push((atMs + endMs) / 2)
      continue
    }
    ends.pop()
    const volts = node.clamped(waveform.at(endMs))
    yield { atMs: endMs === toMs ? Math.max(atMs, endMs - NANOSECOND_MS) : endMs, volts, isLine: true }
    atMs = endMs
  }
}

/** Whether the clamped curve stays near the line between its ends. */
function isStraight(node: CircuitNode, waveform: Waveform, fromMs: number, toMs: number): boolean {
  if (toMs - fromMs < NANOSECOND_MS) return true
  const [low, high] = waveform.range(fromMs, toMs)
  if (high - low <= LINE_VOLTS || node.clamped(low) === node.clamped(high)) return true
  const isClamped = node.clamped(low) !== low || node.clamped(high) !== high
  const [slowest, fastest] = waveform.slopes(fromMs, toMs)
  // A curve leaves the line between its ends by at most a quarter of the time times the difference of its slopes.
  return !isClamped && ((fastest - slowest) * (toMs - fromMs)) / 4 <= LINE_VOLTS
}
