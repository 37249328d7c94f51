import type { Leg, Source } from '../circuit/branch.ts'
import type { Range } from '../circuit/curve.ts'
import type { SolvedNode } from '../circuit/node/solved-node.ts'

interface Effort {
  /** Edges that are walked on one stretch. */
  readonly edges: number
  /** Moments at which what is behind them is looked at. */
  readonly moments: number
}
const EFFORT: Effort = { edges: 128, moments: 128 }
/** Where coils or motors remember what fast sources of several periods did, each look far ahead takes its time. */
const EFFORT_OF_MEMORY: Effort = { edges: 32, moments: 8 }
/** Up to so many fast sources are combined; of more the node's bounds stand in. */
const MOST_COMBINED = 4
/** Looks between two edges where the voltage does not go one way only. */
const LOOKS = 16

/** Lowest and highest voltage of a node in [`fromMs`, `toMs`), from edge to edge, so that nothing between two looks is missed. */
export function reachOf(node: SolvedNode, fromMs: number, toMs: number): Range {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const see = (volts: number): void => {
    lowest = Math.min(lowest, volts)
    highest = Math.max(highest, volts)
  }
  see(node.voltsAt(fromMs))
  // What repeats itself shows in one period all that it will.
  const endMs = Math.min(toMs, Math.max(fromMs, node.regularFromMs) + node.periodMs())
  const effort = node.hasMemory ? EFFORT_OF_MEMORY : EFFORT
  let atMs = fromMs
  for (let edges = 0; atMs < endMs && edges < effort.edges; edges++) {
    const nextMs = Math.min(node.edgeAfter(atMs), endMs)
    for (const volts of between(node, atMs, nextMs)) see(volts)
    atMs = nextMs
  }
  if (endMs < toMs) see(node.voltsAt(endMs))
  if (atMs < endMs) for (const volts of unwalked(node, atMs, endMs, effort.moments)) see(volts)
  return [lowest, highest]
}

/** Where no edge is in between: the ends, up to the very last moment, and looks in the middle where it turns. */
function between(node: SolvedNode, fromMs: number, toMs: number): readonly number[] {
  if (node.isStepped) return [node.voltsAt(fromMs)]
  const law = node.lawAt(fromMs)
  const ends = [law.at(fromMs), law.at(toMs)]
  const [slowest, fastest] = law.slopes(fromMs, toMs)
  if (slowest >= 0 || fastest <= 0) return ends
  return [...ends, ...looksBetween(fromMs, toMs, LOOKS).map((atMs) => law.at(atMs))]
}

/**
 * Where edges are too many: at many moments, and at the edges of what is slow, all that the fast sources can make of it. What they do not
 * combine in that time is rare.
 */
function unwalked(node: SolvedNode, fromMs: number, toMs: number, count: number): readonly number[] {
  const fastMs = (toMs - fromMs) / count
  const fast = node.moving.filter(({ periodMs }) => periodMs > 0 && periodMs <= fastMs)
  if (fast.length > MOST_COMBINED && !node.hasMemory) return node.bounds()
  const combined = fast.length > MOST_COMBINED ? [] : fast
  const choices = combined.reduce<readonly ReadonlyMap<Source, Leg>[]>(
    (all, source) => all.flatMap((legs) => source.extremes.map((leg) => new Map([...legs, [source, leg]]))),
    [new Map()],
  )
  const moments = looksBetween(fromMs, toMs, count)
  let edgeMs = node.edgeAfter(fromMs, fastMs)
  while (edgeMs < toMs && moments.length < 2 * count) {
    moments.push(edgeMs)
    edgeMs = node.edgeAfter(edgeMs, fastMs)
  }
  return moments.flatMap((atMs) =>
    choices.map((legs) => node.voltsWith(atMs, (source) => legs.get(source) ?? source.legAt(atMs))),
  )
}

function looksBetween(fromMs: number, toMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, look) => fromMs + ((look + 0.5) / count) * (toMs - fromMs))
}
