import { SAME_EDGE_MS, type SolvedNode } from '../node/solved-node.ts'
import { Alternation } from './alternation.ts'
import { type Band, decidedBy } from './band.ts'
import { edgeAfter, highPartsBegun, isHighAt } from './timing.ts'

/** Most sources for which a table has the level of each combination. */
const MOST_SOURCES = 8

/** Where a walk begins, and where it ends at the latest. */
export interface Stretch {
  readonly fromMs: number
  readonly wasHigh: boolean
  readonly untilMs: number
  readonly edges: number
}

/** The end of a walk. */
export interface Walked {
  readonly atMs: number
  readonly rises: number
  /** Whether the level `wanted` began at `atMs`. */
  readonly changed: boolean
}

/** One square wave during a walk. `bit` is its place in the table of levels. */
interface Hand {
  readonly source: Alternation
  readonly bit: number
  cycle: number
  isHigh: boolean
  nextMs: number
}

/**
 * The level on a node on which several square waves move and nothing else. A table has the level for each combination of their legs, so an
 * edge costs some comparisons and no voltage.
 */
export class SteppedLevels {
  readonly #sources: readonly Alternation[]
  readonly #levels: readonly (boolean | undefined)[]

  private constructor(node: SolvedNode, sources: readonly Alternation[], band: Band) {
    this.#sources = sources
    this.#levels = Array.from({ length: 2 ** sources.length }, (_, bits) => {
      const legs = new Map(sources.map((source, place) => [source, ((bits >> place) & 1) === 1 ? source.high : source.low]))
      return decidedBy(
        band,
        node.voltsWith(0, (source) => legs.get(source as Alternation) ?? source.legAt(0)),
      )
    })
  }

  static of(node: SolvedNode, band: Band): SteppedLevels | undefined {
    const sources = node.moving.filter((source) => source instanceof Alternation)
    const areAll = !node.hasMemory && sources.length === node.moving.length && sources.length <= MOST_SOURCES
    return areAll && sources.length > 1 ? new SteppedLevels(node, sources, band) : undefined
  }

  /** Walks to the first change to the level `wanted`; without it, to the end, counting rises. */
  walk({ fromMs, wasHigh, untilMs, edges }: Stretch, wanted?: boolean): Walked {
    const hands = this.#sources.map((source, place) => handAt(source, 1 << place, fromMs))
    let bits = hands.reduce((sum, hand) => sum + (hand.isHigh ? hand.bit : 0), 0)
    let isHigh = wasHigh
    let rises = 0
    let atMs = fromMs
    for (let left = edges; left > 0; left--) {
      let firstMs = Number.POSITIVE_INFINITY
      for (const { nextMs } of hands) if (nextMs < firstMs) firstMs = nextMs
      if (firstMs > untilMs) return { atMs: untilMs, rises, changed: false }
      for (const hand of hands) {
        if (hand.nextMs > firstMs + SAME_EDGE_MS) continue
        if (hand.nextMs > atMs) atMs = hand.nextMs
        bits ^= hand.bit
        turn(hand)
      }
      const decided = this.#levels[bits] ?? isHigh
      if (decided === isHigh) continue
      isHigh = decided
      if (isHigh) rises++
      if (isHigh === wanted) return { atMs, rises, changed: true }
    }
    return { atMs, rises, changed: false }
  }
}

function handAt(source: Alternation, bit: number, atMs: number): Hand {
  const cycle = highPartsBegun(source, atMs)
  return { source, bit, cycle, isHigh: isHighAt(source, atMs), nextMs: edgeAfter(source, atMs) }
}

/** Moves a hand to its next edge; the same sums as in timing.ts. */
function turn(hand: Hand): void {
  const { startMs, periodMs, highMs } = hand.source
  hand.isHigh = !hand.isHigh
  if (hand.isHigh) hand.cycle++
  const riseMs = startMs + (hand.isHigh ? hand.cycle : hand.cycle + 1) * periodMs
  hand.nextMs = hand.isHigh ? riseMs + highMs : riseMs
}
