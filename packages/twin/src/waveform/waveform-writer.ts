import type { PinTrace } from '../bench/pin-trace.ts'
import { type WaveformFormatName, waveformFormats } from './formats.ts'
import { nanoseconds, PinSignals, rowsOf } from './signals.ts'

/** Approximate size of a written chunk, in characters. */
const PIECE_LENGTH = 65_536

export interface WaveformTarget {
  readonly format: WaveformFormatName
  /** Gets the text in chunks of some 64 kB, and must have consumed a chunk when it returns. */
  readonly write: (text: string) => void
}

/** Writes the voltages of traces as text, piece by piece in order of time. */
export class WaveformWriter {
  readonly #traces: readonly PinTrace[]
  readonly #target: WaveformTarget
  readonly #originMs: number
  readonly #signals: readonly PinSignals[]
  #waiting: string
  #isFirst = true
  #rows = 0

  /** Times in the text count from `originMs`. */
  constructor(traces: readonly PinTrace[], target: WaveformTarget, originMs: number) {
    this.#traces = traces
    this.#target = target
    this.#originMs = originMs
    this.#signals = traces.map(() => new PinSignals())
    this.#waiting = waveformFormats[target.format].header(traces)
  }

  /** Number of moments so far. */
  get rows(): number {
    return this.#rows
  }

  /** Writes [`fromMs`, `toMs`), which follows what was written before. Ends early if `isOver` is true. */
  add(fromMs: number, toMs: number, isOver: () => boolean = () => false): void {
    const changes = this.#traces.map(
      (trace, index) => this.#signals[index]?.changes(trace.points(fromMs, toMs), this.#originMs) ?? [][Symbol.iterator](),
    )
    const { row: textOf } = waveformFormats[this.#target.format]
    for (const row of rowsOf(this.#signals, changes)) {
      if (isOver()) return
      this.#rows++
      this.#waiting += textOf(row, this.#signals, this.#isFirst)
      this.#isFirst = false
      if (this.#waiting.length >= PIECE_LENGTH) this.#flush()
    }
  }

  /** Ends the text at a moment. */
  end(atMs: number): void {
    const atNs = nanoseconds(atMs, this.#originMs)
    const { row, end } = waveformFormats[this.#target.format]
    // Traces of no length have no points.
    if (this.#isFirst) this.#waiting += row({ atNs, levels: new Set(), volts: new Set() }, this.#signals, true)
    else this.#waiting += end(atNs, this.#signals)
    this.#flush()
  }

  #flush(): void {
    const piece = this.#waiting
    this.#waiting = ''
    this.#target.write(piece)
  }
}
