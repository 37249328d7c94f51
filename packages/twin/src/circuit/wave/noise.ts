import { type SourceWaveform, Wave } from '../branch.ts'
import { highPartsBegun } from './periodic.ts'

const WORD = 2 ** 32

/** Random voltages at equal distances in time, joined by straight lines. They depend on the seed and the moment only. */
export class Noise extends Wave {
  /** Distance between two random voltages. */
  override readonly periodMs: number
  override readonly repeats = false
  /** The cell asked for last, with its voltages: a moment is asked for several times. */
  #last = { cell: Number.NaN, from: 0, to: 0 }
  readonly #of: { readonly lowVolts: number; readonly highVolts: number; readonly seed: number }

  constructor(of: { periodMs: number; lowVolts: number; highVolts: number; ohms: number; seed: number }) {
    super(of)
    this.#of = of
    this.periodMs = of.periodMs
  }

  override turnAfter(atMs: number): number {
    return (this.#cell(atMs) + 1) * this.periodMs
  }

  override turnUpTo(atMs: number): number {
    return this.#cell(atMs) * this.periodMs
  }

  waveformAt(atMs: number): SourceWaveform {
    const cell = this.#cell(atMs)
    if (cell !== this.#last.cell) this.#last = { cell, from: this.#voltsOf(cell), to: this.#voltsOf(cell + 1) }
    const { from, to } = this.#last
    const voltsPerMs = (to - from) / this.periodMs
    const volts = from + voltsPerMs * (atMs - cell * this.periodMs)
    return { volts, voltsPerMs, untilMs: (cell + 1) * this.periodMs }
  }

  #cell(atMs: number): number {
    return highPartsBegun({ startMs: 0, periodMs: this.periodMs, highMs: 0 }, atMs)
  }

  #voltsOf(cell: number): number {
    const { lowVolts, highVolts, seed } = this.#of
    return lowVolts + (highVolts - lowVolts) * uniform(seed, cell)
  }
}

/** A pseudo-random number in [0, 1) that depends on seed and index only. */
function uniform(seed: number, index: number): number {
  const high = mixed(Math.floor(index / WORD) ^ mixed(seed))
  return mixed((index >>> 0) ^ high) / WORD
}

/** Spreads every bit over the whole word (the finalizer of MurmurHash3). */
function mixed(word: number): number {
  let bits = (word + 0x9e3779b9) | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
