import type { Range } from '../circuit/curve.ts'
import type { SolvedNode } from '../circuit/solved-node.ts'

/** Edges that are walked on one stretch; beyond them the node's own bounds stand in. */
const MOST_EDGES = 2048
/** Looks between two edges where the voltage does not go one way only. */
const LOOKS = 32

/** Lowest and highest voltage of a node in [`fromMs`, `toMs`], from edge to edge, so that nothing between two looks is missed. */
export function reachOf(node: SolvedNode, fromMs: number, toMs: number): Range {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const see = (volts: number): void => {
    lowest = Math.min(lowest, volts)
    highest = Math.max(highest, volts)
  }
  see(node.voltsAt(fromMs))
  see(node.voltsAt(toMs))
  // What repeats itself shows in one period all that it will.
  const endMs = Math.min(toMs, Math.max(fromMs, node.regularFromMs) + node.periodMs())
  let atMs = fromMs
  for (let edges = 0; atMs < endMs && edges < MOST_EDGES; edges++) {
    const nextMs = Math.min(node.edgeAfter(atMs), endMs)
    for (const volts of between(node, atMs, nextMs)) see(volts)
    atMs = nextMs
  }
  if (atMs < endMs) for (const volts of node.bounds()) if (Number.isFinite(volts)) see(volts)
  return [lowest, highest]
}

/** Where no edge is in between: the ends, up to the very last moment, and looks in the middle where it turns. */
function between(node: SolvedNode, fromMs: number, toMs: number): readonly number[] {
  if (node.isStepped) return [node.voltsAt(fromMs)]
  const law = node.lawAt(fromMs)
  const ends = [law.at(fromMs), law.at(toMs)]
  const [slowest, fastest] = law.slopes(fromMs, toMs)
  if (slowest >= 0 || fastest <= 0) return ends
  const looks = Array.from({ length: LOOKS }, (_, look) => law.at(fromMs + ((look + 0.5) / LOOKS) * (toMs - fromMs)))
  return [...ends, ...looks]
}
