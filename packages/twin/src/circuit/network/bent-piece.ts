import type { StatePiece } from '../memory/state-piece.ts'

/** An interval in which no polygon changes its side and no source its law. */
export class BentPiece {
  readonly fromMs: number
  readonly untilMs: number
  readonly sides: readonly number[]
  /** Undefined without memories. */
  readonly memory: StatePiece | undefined

  constructor(of: Pick<BentPiece, 'fromMs' | 'untilMs' | 'sides' | 'memory'>) {
    this.fromMs = of.fromMs
    this.untilMs = of.untilMs
    this.sides = of.sides
    this.memory = of.memory
  }

  stateAt(atMs: number): readonly number[] {
    return this.memory?.stateAt(Math.max(atMs, this.fromMs)) ?? []
  }
}
