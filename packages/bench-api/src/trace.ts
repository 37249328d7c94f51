import { boolean, decimal, type ExtensionEndpoints, listOf, named, objectOf, text } from '@slotwire/contract'
import { coreErrors, type Timer } from '@slotwire/core'
import type { ModuleCatalog } from '@slotwire/scenario'
import { type ExtensionHandlers, extensionHandlers } from '@slotwire/service'
import {
  benchErrors,
  benchWrite,
  formatWaveforms,
  type PinTrace,
  pinAt,
  pinField,
  BENCH_ROOT as ROOT,
  typesIn,
  type WaveformFormatName,
} from '@slotwire/twin'
import { benchRead, type DeviceWithBench, rounded, success } from './bench-endpoint.ts'

/** Longest recording, in ms: a day. */
const MAX_RECORDING_MS = 86_400_000
const MIN_RECORDING_MS = 0.001
/** Values of a text: some 400 kB, made in a second at most. */
const MAX_VALUES = 20_000
/** A recording with more moments is suggested to take this share of its time. */
const SUGGESTED_SHARE = 10

/** The trace in replies. */
export const traceSchema = named(
  'Trace',
  objectOf(
    {
      pins: listOf(text(), { description: 'slot/pin, as in `3/1`; none before the first trace' }),
      recording: boolean(),
      since_ms: decimal({ unit: 'ms', description: 'twin time at which the data begins' }),
      until_ms: decimal({ unit: 'ms', description: 'twin time at which it ends' }),
    },
    { optional: ['since_ms', 'until_ms'] },
  ),
)

const waveform = {
  ...benchRead,
  reply: text({ description: 'levels and volts as `slot3.pin1` and `slot3.pin1_volts`, over twin time' }),
  mediaType: 'text/plain',
  description: `At most ${MAX_VALUES} values: one for each pin at each moment at which a voltage changes. Also readable during the recording.`,
  errors: [benchErrors.noTrace, benchErrors.traceTooLong],
} as const

export const traceEndpoints = (catalog: ModuleCatalog) =>
  ({
    getTrace: {
      ...benchRead,
      path: `${ROOT}/trace`,
      reply: traceSchema,
      summary: 'Shows which pins are recorded, and since when',
    },
    startTrace: {
      ...benchWrite,
      path: `${ROOT}/trace/start`,
      body: objectOf(
        {
          pins: listOf(pinField(typesIn(catalog)), { description: 'the pins' }),
          for_ms: decimal({
            min: MIN_RECORDING_MS,
            max: MAX_RECORDING_MS,
            unit: 'ms',
            range: '0.001 ms to 24 h',
            description: 'twin time after which it stops; by default at trace/stop',
          }),
        },
        { optional: ['for_ms'] },
      ),
      summary: 'Records the voltages of pins from now on',
      description:
        'Forgets the trace before. Keeps the last 1000 changes of the circuit of each pin, the edges of waves not counted.',
      example: {
        pins: ['3/1', '5/4'],
        for_ms: 1000,
      },
    },
    stopTrace: {
      ...benchWrite,
      path: `${ROOT}/trace/stop`,
      errors: [benchErrors.noTrace],
      summary: 'Stops recording; the trace stays readable until the next one starts',
    },
    getTraceVcd: { ...waveform, path: `${ROOT}/trace/vcd`, summary: 'Returns the trace as VCD, for waveform viewers' },
    getTraceCsv: { ...waveform, path: `${ROOT}/trace/csv`, summary: 'Returns the trace as CSV, for spreadsheets' },
  }) as const satisfies ExtensionEndpoints

/** Records pins of a device: one trace at a time. */
export class TraceRecorder {
  /** One for each pin. */
  traces: readonly PinTrace[] = []
  isRecording = false
  #end: Timer | undefined

  constructor(private readonly device: Pick<DeviceWithBench, 'bench' | 'clock'>) {}

  /** Where the data of all pins begins and ends; undefined without a trace. */
  get range(): { readonly fromMs: number; readonly toMs: number } | undefined {
    const [first] = this.traces
    return first && { fromMs: Math.max(...this.traces.map(({ sinceMs }) => sinceMs)), toMs: first.untilMs }
  }

  /** Forgets the trace before. A pin that is named twice is recorded once. */
  start(pins: readonly string[], forMs: number | undefined): void {
    this.stop()
    const { bench, clock } = this.device
    const pinsByName = new Map(pins.map((name) => [name, pinAt(bench, name)]))
    this.traces = [...pinsByName.values()].map((pin) => pin.record())
    this.isRecording = true
    if (forMs !== undefined) this.#end = clock.after(forMs, () => this.stop())
  }

  stop(): void {
    this.#end?.cancel()
    this.#end = undefined
    this.isRecording = false
    for (const trace of this.traces) trace.stop()
  }
}

export function traceHandlers(recorder: TraceRecorder, catalog: ModuleCatalog): ExtensionHandlers {
  return extensionHandlers(traceEndpoints(catalog), {
    getTrace: () => shownTrace(recorder),
    startTrace: ({ body: { pins, for_ms: forMs } }) => {
      if (pins.length === 0) throw coreErrors.invalidField({ reason: 'pins is empty: name a pin, as in 3/1' })
      recorder.start(pins, forMs)
      return success
    },
    stopTrace: () => {
      if (recorder.traces.length === 0) throw benchErrors.noTrace()
      recorder.stop()
      return success
    },
    getTraceVcd: () => waveformOf(recorder, 'vcd'),
    getTraceCsv: () => waveformOf(recorder, 'csv'),
  })
}

async function waveformOf(recorder: TraceRecorder, format: WaveformFormatName): Promise<string> {
  const { range } = recorder
  if (range === undefined) throw benchErrors.noTrace()
  const maxMoments = Math.floor(MAX_VALUES / recorder.traces.length)
  try {
    return await formatWaveforms(format, recorder.traces, { ...range, maxMoments })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const ms = rounded(range.toMs - range.fromMs)
    throw benchErrors.traceTooLong({ moments: maxMoments, ms, suggested: rounded(ms / SUGGESTED_SHARE) })
  }
}

export function shownTrace({ traces, range, isRecording }: TraceRecorder) {
  const pins = traces.map(({ slot, pin }) => `${slot}/${pin}`)
  if (range === undefined) return { pins, recording: isRecording }
  return { pins, recording: isRecording, since_ms: rounded(range.fromMs), until_ms: rounded(range.toMs) }
}
