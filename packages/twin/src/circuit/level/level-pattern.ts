import { type Moment, NEVER } from '../node/node-walk.ts'
import type { SolvedNode } from '../node/solved-node.ts'
import { isWave } from '../wave/wave.ts'
import { type Band, decidedBy } from './band.ts'
import { edgeAfter, highPartsBegun, isHighAt, type Timing } from './timing.ts'

/** Within this many edges of a pattern, every change of the level occurs. */
const EDGES_THAT_SHOW_ALL = 4

/** The level of a node on which only one wave moves and crosses the whole band: two changes per period, computed in closed form. */
export class LevelPattern {
  readonly #timing: Timing
  readonly #startsHigh: boolean
  /** Until here the level keeps its initial value: the voltage has not left the band yet. */
  readonly #undecidedUntilMs: number

  private constructor(timing: Timing, fromMs: number, decided: boolean | undefined, startsHigh: boolean) {
    this.#timing = timing
    this.#startsHigh = startsHigh
    const isAsInEveryPeriod = decided === isHighAt(timing, fromMs)
    this.#undecidedUntilMs = isAsInEveryPeriod ? Number.NEGATIVE_INFINITY : edgeAfter(timing, fromMs)
  }

  /** Returns undefined for any other node. `wasHigh` is the level while the voltage is initially inside the band. */
  static of(node: SolvedNode, band: Band, fromMs: number, wasHigh: boolean): LevelPattern | undefined {
    const wave = node.onlyMoving
    if (!isWave(wave)) return undefined
    const [low, high] = wave.extremes.map((leg) => ({ wave: leg.volts, node: node.voltsWith(fromMs, () => leg) }))
    if (low === undefined || high === undefined) return undefined
    const waveVolts = (volts: number): number => low.wave + ((volts - low.node) / (high.node - low.node)) * (high.wave - low.wave)
    const timing = wave.levelTiming(waveVolts(band.lowVolts), waveVolts(band.highVolts))
    const decided = decidedBy(band, node.voltsAt(fromMs))
    return new LevelPattern(timing, fromMs, decided, decided ?? wasHigh)
  }

  isHigh(atMs: number): boolean {
    return atMs < this.#undecidedUntilMs ? this.#startsHigh : isHighAt(this.#timing, atMs)
  }

  next(afterMs: number, rising: boolean): Moment {
    let atMs = afterMs
    let isHigh = this.isHigh(afterMs)
    for (let edges = 0; edges < EDGES_THAT_SHOW_ALL; edges++) {
      atMs = edgeAfter(this.#timing, atMs)
      const wasHigh = isHigh
      isHigh = this.isHigh(atMs)
      if (isHigh !== wasHigh && isHigh === rising) return { found: true, atMs }
    }
    return NEVER
  }

  rises(afterMs: number, upToMs: number): number {
    const begun = highPartsBegun(this.#timing, upToMs) - highPartsBegun(this.#timing, afterMs)
    const first = this.#undecidedUntilMs
    // If the initial level was high already, this is no rise.
    const wasThere = this.#startsHigh && afterMs < first && first <= upToMs && isHighAt(this.#timing, first)
    return wasThere ? begun - 1 : begun
  }
}
