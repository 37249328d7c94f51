import type { Source } from '../circuit/branch.ts'
import type { Range } from '../circuit/curve.ts'
import type { SolvedNode } from '../circuit/node/solved-node.ts'

/** Edges to walk on one interval; for more of them, moments to sample after these edges. */
const EDGES = 512
const MOMENTS = 128
/** Coils or motors behind fast sources of several periods make each look far ahead slow. */
const MOMENTS_WITH_MEMORY = 16
/** Edges to walk from a sampled moment. */
const EDGES_OF_A_SAMPLE = 3
/** Turns within which a source shows its highest voltage; for noise, among how many one is sought. */
const TURNS_OF_A_PERIOD = 2
const TURNS_OF_NOISE = 128
/** Just before a turn, as a share of the period. */
const JUST_BEFORE = 2 ** -12
/** Samples between two edges where the voltage turns. */
const SAMPLES = 16

/** Lowest and highest voltage of a node in [`fromMs`, `toMs`). Walks from edge to edge, so that it misses no pulse between two samples. */
export function voltageRange(node: SolvedNode, fromMs: number, toMs: number): Range {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const see = (volts: number): void => {
    lowest = Math.min(lowest, volts)
    highest = Math.max(highest, volts)
  }
  see(node.voltsAt(fromMs))
  // A periodic voltage shows its whole range in one period.
  const endMs = Math.min(toMs, Math.max(fromMs, node.regularFromMs) + node.periodMs())
  let atMs = fromMs
  for (let edges = 0; atMs < endMs && edges < EDGES; edges++) {
    const nextMs = Math.min(node.edgeAfter(atMs), endMs)
    for (const volts of voltsBetween(node, atMs, nextMs)) see(node.clamped(volts))
    atMs = nextMs
  }
  if (endMs < toMs) see(node.voltsAt(endMs))
  if (atMs < endMs)
    for (const volts of sampledVolts(node, atMs, endMs, node.hasMemory ? MOMENTS_WITH_MEMORY : MOMENTS)) see(node.clamped(volts))
  return [lowest, highest]
}

/** Voltages between two edges: both ends, and where the voltage turns, samples and the vertex of a parabola through the outermost ones. */
function voltsBetween(node: SolvedNode, fromMs: number, toMs: number): readonly number[] {
  if (node.isStepped) return [node.voltsAt(fromMs)]
  const law = node.lawAt(fromMs)
  const ends = [law.at(fromMs), law.at(toMs)]
  const [slowest, fastest] = law.slopes(fromMs, toMs)
  if (slowest >= 0 || fastest <= 0) return ends
  const stepMs = (toMs - fromMs) / SAMPLES
  const samples = Array.from({ length: SAMPLES + 1 }, (_, sample) => law.at(fromMs + sample * stepMs))
  const peaks = [Math.max(...samples), Math.min(...samples)].map((volts) => {
    const at = samples.indexOf(volts)
    const [before = volts, after = volts] = [samples[at - 1], samples[at + 1]]
    const bend = before - 2 * volts + after
    return bend === 0 ? volts : law.at(Math.min(Math.max(fromMs, fromMs + (at + (before - after) / bend / 2) * stepMs), toMs))
  })
  return [...samples, ...peaks]
}

/**
 * For too many edges: walks over a few edges at many moments, and at the edges of slow sources. Each moment is moved to where the fast
 * sources are near their highest or lowest voltage together. Only shows voltages that occur, and may miss rare ones.
 */
function* sampledVolts(node: SolvedNode, fromMs: number, toMs: number, count: number): Iterable<number> {
  const fastMs = (toMs - fromMs) / count
  const fast = node.moving.filter(({ periodMs }) => periodMs > 0 && periodMs <= fastMs).sort((a, b) => b.periodMs - a.periodMs)
  const moments = Array.from({ length: count }, (_, sample) => fromMs + ((sample + 0.5) / count) * (toMs - fromMs))
  let edgeMs = node.edgeAfter(fromMs, fastMs)
  while (edgeMs < toMs && moments.length < 2 * count) {
    moments.push(edgeMs)
    edgeMs = node.edgeAfter(edgeMs, fastMs)
  }
  const backMs = JUST_BEFORE * (fast.at(-1)?.periodMs ?? 0)
  for (const momentMs of moments) {
    for (const sign of [1, -1]) {
      const peakMs = fast.reduce((atMs, source) => peakNear(source, atMs, sign), momentMs)
      let atMs = Math.max(fromMs, node.edgeUpTo(peakMs - backMs))
      for (let edges = 0; edges < EDGES_OF_A_SAMPLE && atMs < toMs; edges++) {
        const nextMs = Math.min(node.edgeAfter(atMs), toMs)
        yield* voltsBetween(node, atMs, nextMs)
        atMs = nextMs
      }
    }
  }
}

/** The moment within a few turns from now at which the voltage of the source, times a sign, is highest. */
function peakNear(source: Source, fromMs: number, sign: number): number {
  const backMs = JUST_BEFORE * source.periodMs
  let peakMs = fromMs
  let turnMs = fromMs
  for (let turns = source.repeats ? TURNS_OF_A_PERIOD : TURNS_OF_NOISE; turns > 0; turns--) {
    turnMs = source.turnAfter(turnMs)
    for (const atMs of [turnMs - backMs, turnMs]) {
      if (atMs > fromMs && sign * source.legAt(atMs).volts > sign * source.legAt(peakMs).volts) peakMs = atMs
    }
  }
  return peakMs
}
