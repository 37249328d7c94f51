import { nextTurn } from '@slotwire/core'
import type { PinTrace } from '../bench/pin-trace.ts'
import type { WaveformFormatName } from './formats.ts'
import { MOMENTS_AT_ONCE, WaveformWriter } from './waveform-writer.ts'

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
  const maxMoments = Math.min(range.maxMoments ?? MAX_MOMENTS, MAX_MOMENTS)
  let text = ''
  const write = (piece: string): void => {
    text += piece
  }
  const writer = new WaveformWriter(traces, { format, write }, 0)
  const add = writer.begin(fromMs, toMs)
  for (let count = 0, added = MOMENTS_AT_ONCE; added === MOMENTS_AT_ONCE; count += added) {
    if (count > 0) yield
    added = add(MOMENTS_AT_ONCE)
    if (count + added > maxMoments)
      throw new RangeError(`the voltages change at more than ${maxMoments} moments in ${toMs - fromMs} ms: choose a shorter time`)
  }
  writer.end(toMs)
  return text
}
