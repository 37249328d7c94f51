import type { PinTrace } from '../bench/pin-trace.ts'
import { type WaveformFormatName, waveformFormats } from './formats.ts'
import { momentsOf, nanoseconds, PinSignals } from './signals.ts'

/** Approximate size of a written chunk, in characters. */
const PIECE_LENGTH = 65_536
/** Moments to write at once: 2 ms, up to 50 ms with coils and capacitors. Then others should have their turn. */
export const MOMENTS_AT_ONCE = 1000

export interface WaveformTarget {
  readonly format: WaveformFormatName
  /** Gets the text in chunks of some 64 kB, and must have consumed a chunk when it returns. */
  readonly write: (text: string) => void
  /** After its abort nothing more is written. */
  readonly signal?: AbortSignal | undefined
}

/** Writes the voltages of traces as text, piece by piece in order of time. */
export class WaveformWriter {
  readonly #traces: readonly PinTrace[]
  readonly #target: WaveformTarget
  readonly #originMs: number
  readonly #signals: readonly PinSignals[]
  #waiting: string
  #isFirst = true

  /** Times in the text count from `originMs`. */
  constructor(traces: readonly PinTrace[], target: WaveformTarget, originMs: number) {
    this.#traces = traces
    this.#target = target
    this.#originMs = originMs
    this.#signals = traces.map(() => new PinSignals())
    this.#waiting = waveformFormats[target.format].header(traces)
  }

  /**
   * Begins to write [`fromMs`, `toMs`), which follows what was written before. The returned function continues for at most so many moments, and
   * returns how many there were: fewer at the end.
   */
  begin(fromMs: number, toMs: number): (most: number) => number {
    const changes = this.#traces.map((trace, index) => {
      const pin = this.#signals[index] as PinSignals
      return pin.changes(trace.points(fromMs, toMs), this.#originMs)
    })
    const moments = momentsOf(this.#signals, changes)
    const { row } = waveformFormats[this.#target.format]
    return (most) => {
      for (let count = 0; count < most; count++) {
        const { done, value: atNs } = moments.next() as IteratorResult<number, number>
        if (done === true) return count
        this.#waiting += row(atNs, this.#signals, this.#isFirst)
        this.#isFirst = false
        if (this.#waiting.length >= PIECE_LENGTH) this.#flush()
      }
      return most
    }
  }

  /** Ends the text at a moment. */
  end(atMs: number): void {
    const atNs = nanoseconds(atMs, this.#originMs)
    const { row, end } = waveformFormats[this.#target.format]
    // Traces of no length have no points.
    if (this.#isFirst) this.#waiting += row(atNs, this.#signals, true)
    else this.#waiting += end(atNs, this.#signals)
    this.#flush()
  }

  #flush(): void {
    const piece = this.#waiting
    this.#waiting = ''
    if (this.#target.signal?.aborted !== true) this.#target.write(piece)
  }
}
