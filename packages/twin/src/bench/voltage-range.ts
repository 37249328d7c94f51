import type { Leg, Source } from '../circuit/branch.ts'
import type { Range } from '../circuit/curve.ts'
import type { SolvedNode } from '../circuit/node/solved-node.ts'

/** Edges to walk on one interval, and moments to sample after these edges. */
const LIMITS = { edges: 128, moments: 128 }
/** Coils or motors behind fast sources of several periods make each look far ahead slow. */
const LIMITS_WITH_MEMORY = { edges: 32, moments: 8 }
/** Combine at most this many fast sources; for more, use the node's bounds. */
const MAX_COMBINED = 4
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
  const limits = node.hasMemory ? LIMITS_WITH_MEMORY : LIMITS
  let atMs = fromMs
  for (let edges = 0; atMs < endMs && edges < limits.edges; edges++) {
    const nextMs = Math.min(node.edgeAfter(atMs), endMs)
    for (const volts of voltsBetween(node, atMs, nextMs)) see(volts)
    atMs = nextMs
  }
  if (endMs < toMs) see(node.voltsAt(endMs))
  if (atMs < endMs) for (const volts of sampledVolts(node, atMs, endMs, limits.moments)) see(volts)
  return [lowest, highest]
}

/** Voltages between two edges: both ends, and samples in the middle if the voltage turns. */
function voltsBetween(node: SolvedNode, fromMs: number, toMs: number): readonly number[] {
  if (node.isStepped) return [node.voltsAt(fromMs)]
  const law = node.lawAt(fromMs)
  const ends = [law.at(fromMs), law.at(toMs)]
  const [slowest, fastest] = law.slopes(fromMs, toMs)
  if (slowest >= 0 || fastest <= 0) return ends
  return [...ends, ...sampleTimes(fromMs, toMs, SAMPLES).map((atMs) => law.at(atMs))]
}

/**
 * For too many edges: samples many moments, and the edges of slow sources, with all combinations of the fast sources' extremes.
 * Combinations that do not occur in that time are rare.
 */
function sampledVolts(node: SolvedNode, fromMs: number, toMs: number, count: number): readonly number[] {
  const fastMs = (toMs - fromMs) / count
  const fast = node.moving.filter(({ periodMs }) => periodMs > 0 && periodMs <= fastMs)
  if (fast.length > MAX_COMBINED && !node.hasMemory) return node.bounds()
  const combined = fast.length > MAX_COMBINED ? [] : fast
  const choices = combined.reduce<readonly ReadonlyMap<Source, Leg>[]>(
    (all, source) => all.flatMap((legs) => source.extremes.map((leg) => new Map([...legs, [source, leg]]))),
    [new Map()],
  )
  const moments = sampleTimes(fromMs, toMs, count)
  let edgeMs = node.edgeAfter(fromMs, fastMs)
  while (edgeMs < toMs && moments.length < 2 * count) {
    moments.push(edgeMs)
    edgeMs = node.edgeAfter(edgeMs, fastMs)
  }
  return moments.flatMap((atMs) =>
    choices.map((legs) => node.voltsWith(atMs, (source) => legs.get(source) ?? source.legAt(atMs))),
  )
}

function sampleTimes(fromMs: number, toMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, sample) => fromMs + ((sample + 0.5) / count) * (toMs - fromMs))
}
