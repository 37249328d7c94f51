import { nextTurn } from '@slotwire/core'
import type { BenchPin } from '../bench/bench-pin.ts'
import type { PinTrace } from '../bench/pin-trace.ts'
import { type WaveformFormatName, waveformFormats } from './formats.ts'
import { momentsOf, nanoseconds, PinSignals } from './signals.ts'

/** Approximate size of a written chunk, in characters. */
const PIECE_LENGTH = 65_536
/** Moments to write at once: 2 ms, up to 50 ms with coils and capacitors. Then others should have their turn. */
const MOMENTS_AT_ONCE = 1000

export interface WaveformTarget {
  readonly format: WaveformFormatName
  /** Gets the text in chunks of some 64 kB, and must have consumed a chunk when it returns. */
  readonly write: (text: string) => void
  /** After its abort nothing more is written. */
  readonly signal?: AbortSignal | undefined
}

/** Writes the voltages of traces as text, piece by piece in order of time. */
class WaveformWriter {
  readonly #signals: readonly PinSignals[]
  #waiting: string
  #isFirst = true
  #moments = 0

  /** Times in the text count from `originMs`. */
  constructor(
    private readonly traces: readonly PinTrace[],
    private readonly target: WaveformTarget,
    private readonly originMs: number,
  ) {
    this.#signals = traces.map(() => new PinSignals())
    this.#waiting = waveformFormats[target.format].header(traces)
  }

  /**
   * Writes [`fromMs`, `toMs`), which follows what was written before. Stops after each thousand moments. Throws `RangeError` for too many
   * moments.
   */
  *write(fromMs: number, toMs: number, maxMoments = Number.POSITIVE_INFINITY): Generator<undefined, void> {
    const changes = this.traces.map((trace, index) => {
      const pin = this.#signals[index] as PinSignals
      return pin.changes(trace.points(fromMs, toMs), this.originMs)
    })
    const { row } = waveformFormats[this.target.format]
    for (const atNs of momentsOf(this.#signals, changes)) {
      if (++this.#moments > maxMoments)
        throw new RangeError(
          `the voltages change at more than ${maxMoments} moments in ${toMs - fromMs} ms: choose a shorter time`,
        )
      this.#waiting += row(atNs, this.#signals, this.#isFirst)
      this.#isFirst = false
      if (this.#waiting.length >= PIECE_LENGTH) this.#flush()
      if (this.#moments % MOMENTS_AT_ONCE === 0) yield
    }
  }

  /** Ends the text at a moment. */
  end(atMs: number): void {
    const atNs = nanoseconds(atMs, this.originMs)
    const { row, end } = waveformFormats[this.target.format]
    // Traces of no length have no points.
    if (this.#isFirst) this.#waiting += row(atNs, this.#signals, true)
    else this.#waiting += end(atNs, this.#signals)
    this.#flush()
  }

  #flush(): void {
    const piece = this.#waiting
    this.#waiting = ''
    if (this.target.signal?.aborted !== true) this.target.write(piece)
  }
}

/** Most moments of one text. */
const MAX_MOMENTS = 1_000_000

export interface WaveformRange {
  /** Twin time in ms; default: where the data of all traces begins. */
  readonly fromMs?: number
  /** Twin time in ms; default: where the data of a trace ends. */
  readonly toMs?: number
  /** Most moments at which a voltage changes; default and limit 1,000,000. */
  readonly maxMoments?: number
}

/** Traces as a VCD file for waveform viewers, in twin time. Throws `RangeError` for too many changes, and times without data. */
export function formatVcd(traces: readonly PinTrace[], range: WaveformRange = {}): string {
  return formatted('vcd', traces, range)
}

/** Traces as a CSV file, as `formatVcd`. */
export function formatCsv(traces: readonly PinTrace[], range: WaveformRange = {}): string {
  return formatted('csv', traces, range)
}

/** As `formatVcd` and `formatCsv`, but gives the event loop a turn from time to time. */
export async function formatWaveforms(
  format: WaveformFormatName,
  traces: readonly PinTrace[],
  range: WaveformRange = {},
): Promise<string> {
  const parts = formatting(format, traces, range)
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) return part.value
    await nextTurn()
  }
}

function formatted(format: WaveformFormatName, traces: readonly PinTrace[], range: WaveformRange): string {
  const parts = formatting(format, traces, range)
  for (let part = parts.next(); ; part = parts.next()) if (part.done === true) return part.value
}

/** Returns the text; stops after each part. */
function* formatting(
  format: WaveformFormatName,
  traces: readonly PinTrace[],
  range: WaveformRange,
): Generator<undefined, string> {
  if (traces.length === 0) throw new RangeError('there is no trace: pass at least one')
  const { fromMs = Math.max(...traces.map(({ sinceMs }) => sinceMs)), toMs = Math.min(...traces.map(({ untilMs }) => untilMs)) } =
    range
  let text = ''
  const write = (piece: string): void => {
    text += piece
  }
  const writer = new WaveformWriter(traces, { format, write }, 0)
  yield* writer.write(fromMs, toMs, Math.min(range.maxMoments ?? MAX_MOMENTS, MAX_MOMENTS))
  writer.end(toMs)
  return text
}

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
