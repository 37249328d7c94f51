import { nextTurn } from '@slotwire/core'
import type { BenchPin } from '../bench/bench-pin.ts'
import type { PinTrace } from '../bench/pin-trace.ts'
import { type WaveformTarget, WaveformWriter } from './waveform-writer.ts'

/** Changes of a pin's circuit between two writes. */
const MAX_CHANGES = 500

/** What has begun to be written. */
interface Piece {
  readonly untilMs: number
  readonly parts: Iterator<undefined, void>
}

/** Writes the voltages of pins from now on, as time passes. Its memory is limited: it writes and forgets what has become long. */
export class WaveformRecorder {
  readonly #traces: readonly PinTrace[]
  readonly #writer: WaveformWriter
  readonly #signal: AbortSignal | undefined
  #writtenMs: number
  #piece: Piece | undefined
  #failure: { readonly error: unknown } | undefined
  #isClosed = false

  /** Times in the text count from now. */
  constructor(pins: readonly BenchPin[], target: WaveformTarget) {
    this.#traces = pins.map((pin) => pin.record({ changes: MAX_CHANGES, onFull: () => this.#flush() }))
    this.#writtenMs = Math.max(0, ...this.#traces.map(({ sinceMs }) => sinceMs))
    this.#writer = new WaveformWriter(this.#traces, target, this.#writtenMs)
    this.#signal = target.signal
  }

  /** Writes everything until now. Never throws: `close` throws what `write` threw. */
  async flush(): Promise<void> {
    this.#begin()
    while (this.#continue()) await nextTurn()
  }

  /** Writes the rest, and stops. Throws what `write` has thrown. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    for (const trace of this.#traces) trace.stop()
    await this.flush()
    const isComplete = !this.#isOver
    this.#isClosed = true
    if (this.#failure !== undefined) throw this.#failure.error
    if (isComplete) this.#writer.end(this.#writtenMs)
  }

  /** Writes at once: a trace is full. A piece that waits for its turn comes first. */
  #flush(): void {
    while (this.#continue());
    this.#begin()
    while (this.#continue());
  }

  #begin(): void {
    const [first] = this.#traces
    if (first === undefined || this.#isOver || this.#piece !== undefined) return
    const { untilMs } = first
    this.#piece = { untilMs, parts: this.#writer.write(this.#writtenMs, untilMs) }
  }

  /** Writes a part of the piece. Returns whether more is left. */
  #continue(): boolean {
    const piece = this.#piece
    if (piece === undefined || this.#isOver) return false
    try {
      if (piece.parts.next().done !== true) return true
    } catch (error) {
      this.#failure = { error }
      return false
    }
    this.#piece = undefined
    this.#writtenMs = piece.untilMs
    for (const trace of this.#traces) trace.forget(piece.untilMs)
    return false
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== undefined || this.#signal?.aborted === true
  }
}
