import type { PinTrace } from '../bench/pin-trace.ts'
import type { WaveformFormatName } from './formats.ts'
import { WaveformWriter } from './waveform-writer.ts'

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

function formatted(format: WaveformFormatName, traces: readonly PinTrace[], range: WaveformRange): string {
  if (traces.length === 0) throw new RangeError('there is no trace: pass at least one')
  const { fromMs = Math.max(...traces.map(({ sinceMs }) => sinceMs)), toMs = Math.min(...traces.map(({ untilMs }) => untilMs)) } =
    range
  const maxMoments = Math.min(range.maxMoments ?? MAX_MOMENTS, MAX_MOMENTS)
  let text = ''
  const write = (piece: string): void => {
    text += piece
  }
  const writer = new WaveformWriter(traces, { format, write }, 0)
  if (writer.begin(fromMs, toMs)(maxMoments + 1) > maxMoments)
    throw new RangeError(`the voltages change at more than ${maxMoments} moments in ${toMs - fromMs} ms: choose a shorter time`)
  writer.end(toMs)
  return text
}
