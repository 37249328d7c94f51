import type { BenchPin } from '../bench/bench-pin.ts'
import type { PinTrace } from '../bench/pin-trace.ts'
import { type WaveformTarget, WaveformWriter } from './waveform-writer.ts'

/** Changes of a pin's circuit between two writes. */
const MOST_CHANGES = 500

/** Writes the voltages of pins from now on, as time passes. Its memory is limited: it writes and forgets what has become long. */
export class WaveformRecorder {
  readonly #traces: readonly PinTrace[]
  readonly #writer: WaveformWriter
  readonly #signal: AbortSignal | undefined
  #writtenMs: number
  #failure: { readonly error: unknown } | undefined
  #isClosed = false

  /** Times in the text count from now. After an abort of `signal` it writes nothing more. */
  constructor(pins: readonly BenchPin[], target: WaveformTarget, signal?: AbortSignal) {
    this.#traces = pins.map((pin) => pin.record({ changes: MOST_CHANGES, onFull: () => this.flush() }))
    this.#writtenMs = Math.max(0, ...this.#traces.map(({ sinceMs }) => sinceMs))
    this.#writer = new WaveformWriter(this.#traces, target, this.#writtenMs)
    this.#signal = signal
  }

  /** Writes everything until now. Never throws: `close` throws what `write` threw. */
  flush(): void {
    const [first] = this.#traces
    if (first === undefined || this.#isOver) return
    const untilMs = first.untilMs
    this.#unlessFailed(() => this.#writer.add(this.#writtenMs, untilMs, () => this.#isOver))
    this.#writtenMs = untilMs
    for (const trace of this.#traces) trace.forget(untilMs)
  }

  /** Writes the rest, and stops. Throws what `write` has thrown. */
  close(): void {
    if (this.#isClosed) return
    this.flush()
    if (!this.#isOver) this.#unlessFailed(() => this.#writer.end(this.#writtenMs))
    this.#isClosed = true
    for (const trace of this.#traces) trace.stop()
    if (this.#failure !== undefined) throw this.#failure.error
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== undefined || this.#signal?.aborted === true
  }

  #unlessFailed(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failure = { error }
    }
  }
}
