import { commonPeriod, type Leg, type Source } from '../branch.ts'
import { NodeWalk } from '../node/node-walk.ts'
import { SAME_EDGE_MS, SolvedNode } from '../node/solved-node.ts'
import type { Band } from './band.ts'
import { SteppedLevels } from './stepped-levels.ts'

/** Below this ratio of the longest to the shortest period there would be nearly as many pieces as edges. */
const LEAST_RATIO = 4
/** Most stepped sources whose legs are combined one by one to find where a slow waveform changes the level. */
const MOST_COMBINED = 5
/** Most moving sources whose time is divided: each division may divide its pieces again. */
const MOST_DIVIDED = 8
/** Critical voltages closer than this are one. */
const SAME_VOLTS = 1e-9

/** How to follow a level on a node. */
export interface LevelPlan {
  readonly node: SolvedNode
  readonly band: Band
  /** Whether the node may reach a level above the band. If it can reach only one side, the level changes at most once. */
  readonly canBeHigh: boolean
  readonly canBeLow: boolean
  /** Set if slow and fast sources move the node. */
  readonly pieces: LevelPieces | undefined
  /** Set if only square waves of similar speed do. */
  readonly stepped: SteppedLevels | undefined
  /** Whether the level must be followed over many edges or pieces, because no period shows all of it. */
  readonly isLong: boolean
  /** The wave that makes the changes while slower ones shift their moments. */
  readonly drifting: Source | undefined
}

export function planOf(node: SolvedNode, band: Band): LevelPlan {
  const isPeriodic = node.hasMemory || node.isNetwork || node.periodMs() < Number.POSITIVE_INFINITY
  const pieces = isPeriodic || node.moving.length > MOST_DIVIDED ? undefined : LevelPieces.of(node, band)
  const stepped = isPeriodic || pieces !== undefined ? undefined : SteppedLevels.of(node, band)
  return { node, band, ...reachOf(node, band), pieces, stepped, isLong: !isPeriodic, drifting: undefined }
}

function reachOf(node: SolvedNode, band: Band): Pick<LevelPlan, 'canBeHigh' | 'canBeLow'> {
  if (node.isSteady) return { canBeHigh: false, canBeLow: false }
  const [lowest, highest] = node.bounds()
  return { canBeHigh: highest > band.highVolts, canBeLow: lowest < band.lowVolts }
}

/** A part of time in which slow sources may be taken for constant. */
export interface Piece {
  readonly plan: LevelPlan
  readonly untilMs: number
}

/** Divides time at the changes of a node's slow sources. So each piece has only the fast ones to follow. */
export class LevelPieces {
  /** Period of the node; infinite if it has none. */
  readonly periodMs: number
  readonly #node: SolvedNode
  readonly #band: Band
  readonly #slow: readonly Source[]
  /** The slow sources alone, if they are waveforms. */
  readonly #waveform: SolvedNode | undefined
  readonly #drifting: Source | undefined
  /** The voltages of the waveform at which a combination of the other sources' extremes is at a level; ascending. */
  readonly #critical: readonly number[]
  readonly #plans = new Map<unknown, LevelPlan>()

  private constructor(node: SolvedNode, band: Band, slow: readonly Source[]) {
    const others = node.moving.filter((source) => !slow.includes(source))
    const isOnce = slow.some((source) => source.periodMs === 0)
    this.periodMs = isOnce ? Number.POSITIVE_INFINITY : commonPeriod(node.moving, Number.POSITIVE_INFINITY)
    this.#node = node
    this.#band = band
    this.#slow = slow
    this.#waveform = slow.every((source) => source.isStepped) ? undefined : new SolvedNode(slow)
    this.#drifting = this.#waveform === undefined ? undefined : others.find((source) => !source.isStepped)
    this.#critical = this.#waveform === undefined ? [] : criticalVolts(node, band, slow, others)
  }

  /** Undefined if all sources have a similar speed. */
  static of(node: SolvedNode, band: Band): LevelPieces | undefined {
    const slow = slowOf(node.moving)
    return slow.length === 0 ? undefined : new LevelPieces(node, band, slow)
  }

  at(atMs: number): Piece {
    return this.#waveform === undefined ? this.#steppedAt(atMs) : this.#zoneAt(this.#waveform, atMs)
  }

  /** A moment up to `atMs` at which a piece begins. */
  startUpTo(atMs: number): number {
    return Math.max(...this.#slow.map((source) => source.turnUpTo(atMs)))
  }

  #steppedAt(atMs: number): Piece {
    const turnMs = Math.min(...this.#slow.map((source) => source.turnAfter(atMs)))
    // Edges of other sources that differ only by rounding belong to this one.
    const untilMs = turnMs === Number.POSITIVE_INFINITY ? turnMs : this.#node.edgeAfter(turnMs - SAME_EDGE_MS)
    const [leg] = this.#slow.map((source) => source.legAt(atMs))
    return { plan: this.#planWith(leg, () => leg ?? OPEN), untilMs }
  }

  /** While the waveform stays between two critical voltages, each combination of the other sources' legs decides the same. */
  #zoneAt(waveform: SolvedNode, atMs: number): Piece {
    const volts = waveform.voltsAt(atMs)
    const found = this.#critical.findIndex((critical) => critical >= volts)
    const zone = found < 0 ? this.#critical.length : found
    const [below, above] = [this.#critical[zone - 1], this.#critical[zone]]
    const edgeMs = waveform.edgeAfter(atMs)
    const riseMs = above === undefined ? edgeMs : new NodeWalk(waveform, atMs, 1).next(above, 'above', edgeMs).atMs
    const fallMs = below === undefined ? edgeMs : new NodeWalk(waveform, atMs, 1).next(below, 'below', edgeMs).atMs
    const middle = ((below ?? (above ?? 0) - 2) + (above ?? (below ?? 0) + 2)) / 2
    const plan = this.#planWith(zone, () => ({ volts: middle, ohms: 1 / siemensOf(this.#slow) }))
    return { plan, untilMs: Math.min(edgeMs, riseMs, fallMs) }
  }

  /** The plan for a piece with this leg in place of the slow sources. If moments drift, it only shows which levels are in reach. */
  #planWith(key: unknown, legOf: () => Leg): LevelPlan {
    const known = this.#plans.get(key)
    if (known !== undefined) return known
    const node = this.#node.with(legOf(), this.#slow)
    const plan = planOf(node, this.#band)
    const drift = { node: this.#node, pieces: undefined, stepped: undefined, isLong: false, drifting: this.#drifting }
    const found = this.#drifting === undefined ? plan : { ...plan, ...drift }
    this.#plans.set(key, found)
    return found
  }
}

const OPEN: Leg = { volts: 0, ohms: Number.POSITIVE_INFINITY }

/**
 * The sources to take for constant: one stepped source between its edges, or all waveforms while they are slower than all stepped sources.
 * Without stepped sources, all but the fastest. Empty if all sources have a similar speed.
 */
function slowOf(moving: readonly Source[]): readonly Source[] {
  const slowestFirst = [...moving].sort((a, b) => paceOf(b) - paceOf(a))
  const ratio = paceOf(slowestFirst[0]) / paceOf(slowestFirst.at(-1))
  if (!(ratio >= LEAST_RATIO)) return []
  const waveforms = slowestFirst.filter((source) => !source.isStepped)
  const stepped = slowestFirst.filter((source) => source.isStepped)
  const [slowestStep] = stepped
  if (slowestStep === undefined) return waveforms.slice(0, -1)
  const last = waveforms.at(-1)
  if (last === undefined || paceOf(last) < paceOf(slowestStep)) return [slowestStep]
  return stepped.length > MOST_COMBINED ? [] : waveforms
}

/** A contact moves a few times, then never again. */
function paceOf(source: Source | undefined): number {
  return source === undefined || source.periodMs === 0 ? Number.POSITIVE_INFINITY : source.periodMs
}

function siemensOf(sources: readonly Source[]): number {
  return sources.reduce((sum, source) => sum + 1 / source.legAt(0).ohms, 0)
}

function criticalVolts(node: SolvedNode, band: Band, slow: readonly Source[], others: readonly Source[]): number[] {
  const volts = node
    .flows(others)
    .flatMap(({ siemens, amps }) =>
      [band.lowVolts, band.highVolts].map((level) => level - (amps - level * siemens) / siemensOf(slow)),
    )
    .sort((a, b) => a - b)
  return volts.filter((each, index) => index === 0 || each - (volts[index - 1] ?? 0) > SAME_VOLTS)
}
