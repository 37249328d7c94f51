import { boolean, decimal, integer, text } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import type { BenchSettings, OptionsOf } from '../../settings/kind.ts'
import { asShare, inHertz, inOhms, inVolts, seedField, UNCONNECTED_SEED } from '../../settings/quantities.ts'
import { type Source, Steady } from '../branch.ts'
import { Recording, type Sample } from '../wave/recording.ts'
import { alternate, Noise, Sine, Triangle } from '../wave/wave.ts'
import { defineElement, type ElementKind, IDEAL_OHMS } from './element.ts'

const FULL_TURN_DEGREES = 360
const MS_PER_SECOND = 1000

/** Levels of a waveform, in volts: low and high, or a swing of ± amplitude around an offset (default 0). */
type Levels =
  | { readonly lowVolts: number; readonly highVolts: number }
  | { readonly amplitudeVolts: number; readonly offsetVolts?: number }

const levelFields = {
  lowVolts: inVolts('its lowest voltage', { examples: [0] }),
  highVolts: inVolts('its highest voltage'),
  amplitudeVolts: inVolts('amplitude on either side of offsetVolts, instead of lowVolts and highVolts', { examples: undefined }),
  offsetVolts: inVolts('middle of the waveform, with amplitudeVolts', { examples: undefined }),
}
const ends = ['lowVolts', 'highVolts'] as const
/** The levels are given by their ends, or by amplitude and offset. */
const levels = {
  optional: [...ends, 'amplitudeVolts', 'offsetVolts'] as const,
  rules: {
    oneOf: [{ required: ends }, { required: ['amplitudeVolts'] }],
    dependentRequired: { lowVolts: ['highVolts'], highVolts: ['lowVolts'], offsetVolts: ['amplitudeVolts'] },
  },
  exclusions: ['amplitudeVolts', 'offsetVolts'].flatMap((name) => ends.map((end) => ({ required: [name, end] }))),
  resolve: resolveLevels,
}

const periodFields = {
  frequencyHz: inHertz('periods per second'),
  phaseDegrees: decimal({
    description: 'phase lead: with 90 the wave begins at the point that it otherwise reaches after a quarter of a period',
    unit: '°',
    min: -36_000,
    max: 36_000,
  }),
  ohms: inOhms('its internal resistance'),
}
const waveFields = { ...levelFields, ...periodFields }

/** All settings of a periodic waveform: `resolveLevels` has made its ends. */
type WaveValues = OptionsOf<typeof waveFields, keyof typeof levelFields>
type WaveOptions = Levels & OptionsOf<typeof periodFields, 'phaseDegrees' | 'ohms'>
/** A wave whose period has two parts. `duty`: the share of the first one, 0…1. */
type DutyOptions = WaveOptions & { readonly duty?: number }

/** Converts amplitude and offset to the lowest and the highest voltage. */
function resolveLevels(given: BenchSettings, before: BenchSettings | undefined): BenchSettings {
  const { amplitudeVolts, offsetVolts, ...others } = given
  if (amplitudeVolts === undefined && offsetVolts === undefined) return given
  const [low, high] = [Number(before?.['lowVolts'] ?? 0), Number(before?.['highVolts'] ?? 0)]
  const amplitude = Number(amplitudeVolts ?? (high - low) / 2)
  const offset = Number(offsetVolts ?? (low + high) / 2)
  return { ...others, lowVolts: offset - amplitude, highVolts: offset + amplitude }
}

interface Swing {
  readonly lowVolts: number
  readonly highVolts: number
  readonly ohms: number
}

/** Branch of a waveform between two levels: `moving`, or steady if the levels are equal. Refuses a low level above the high level. */
function swinging(values: Partial<WaveValues> & { readonly ohms: number }, moving: (swing: Swing) => Source): Source {
  const { lowVolts = 0, highVolts = 0, phaseDegrees } = values
  const ohms = Math.max(values.ohms, IDEAL_OHMS)
  if (lowVolts < highVolts) return moving({ lowVolts, highVolts, ohms })
  if (lowVolts === highVolts) return new Steady({ volts: lowVolts, ohms })
  // Noise has no phase, so it cannot be inverted by phase either.
  const remedy = phaseDegrees === undefined ? 'swap them' : 'swap them, and turn it with phaseDegrees'
  throw new RangeError(`lowVolts is ${lowVolts}, above highVolts, ${highVolts}: ${remedy}`)
}

/** Start of the period that belongs to twin time 0, and length of a period. */
function periodOf({ frequencyHz, phaseDegrees }: WaveValues): { startMs: number; periodMs: number } {
  const periodMs = MS_PER_SECOND / frequencyHz
  return { startMs: phaseDegrees === 0 ? 0 : (-phaseDegrees / FULL_TURN_DEGREES) * periodMs, periodMs }
}

/** As in `100 Hz, 0/5 V behind 50 Ω`. */
function describeWave({ frequencyHz, lowVolts = 0, highVolts = 0, ohms }: WaveValues): string {
  return `${frequencyHz} Hz, ${lowVolts}/${highVolts} V behind ${ohms} Ω`
}

const periodic = { ...levels, primary: 'frequencyHz', between: 'source' } as const
const defaults = { phaseDegrees: 0, ohms: 0 }

/** A sine wave; its period begins in the middle, rising. */
export const sineWave: ElementKind<WaveOptions, 'frequencyHz'> = defineElement({
  kind: 'sineWave',
  summary: 'a sine wave that begins at its middle voltage and rises first',
  ...periodic,
  fields: waveFields,
  defaults,
  description: (values) => `sine wave of ${describeWave(values)}`,
  branch: (values) => swinging(values, (swing) => new Sine({ ...periodOf(values), ...swing })),
})

/** A square wave; its high part begins with the period. */
export const squareWave: ElementKind<DutyOptions, 'frequencyHz'> = defineElement({
  kind: 'squareWave',
  summary: 'a square wave, its high part first',
  ...periodic,
  fields: { ...waveFields, duty: asShare('share of each period with the high voltage') },
  defaults: { ...defaults, duty: 0.5 },
  description: (values) => `square wave of ${describeWave(values)}, high for ${values.duty} of the time`,
  branch: (values) => {
    const { startMs, periodMs } = periodOf(values)
    const ohms = Math.max(values.ohms, IDEAL_OHMS)
    const timing = { startMs, periodMs, highMs: values.duty * periodMs }
    return alternate(timing, { volts: values.highVolts ?? 0, ohms }, { volts: values.lowVolts ?? 0, ohms })
  },
})

/** A triangle or sawtooth wave; its period begins at the lowest voltage. */
export const triangleWave: ElementKind<DutyOptions, 'frequencyHz'> = defineElement({
  kind: 'triangleWave',
  summary: 'a triangle or sawtooth wave that begins at its lowest voltage',
  ...periodic,
  fields: { ...waveFields, duty: asShare('share of each period with rising voltage') },
  defaults: { ...defaults, duty: 0.5 },
  description: (values) => `triangle wave of ${describeWave(values)}, rising for ${values.duty} of the time`,
  branch: (values) => {
    const period = periodOf(values)
    return swinging(values, (swing) => new Triangle({ ...period, ...swing }, values.duty * period.periodMs))
  },
})

const noiseFields = {
  frequencyHz: inHertz('random voltages per second'),
  ohms: inOhms('its internal resistance'),
  seed: seedField,
}
type NoiseOptions = Levels & OptionsOf<typeof noiseFields, 'ohms' | 'seed'>

/** Noise: random voltages between two levels, the same for the same seed. */
export const noise: ElementKind<NoiseOptions, 'frequencyHz'> = defineElement({
  kind: 'noise',
  summary: 'random voltages between two levels, with linear transitions',
  primary: 'frequencyHz',
  between: 'source',
  fields: { ...levelFields, ...noiseFields },
  defaults: { ohms: 0 },
  ...levels,
  optional: [...levels.optional, 'seed'],
  description: ({ frequencyHz, lowVolts = 0, highVolts = 0, ohms, seed }) =>
    `noise of ${frequencyHz} Hz, ${lowVolts}…${highVolts} V behind ${ohms} Ω${seed === undefined ? '' : `, seed ${seed}`}`,
  branch: (values) => {
    const { frequencyHz, seed = UNCONNECTED_SEED } = values
    return swinging(values, (swing) => new Noise({ periodMs: MS_PER_SECOND / frequencyHz, ...swing, seed }))
  },
})

const MAX_CHARACTERS = 100_000
const MAX_SAMPLES = 10_000
const MAX_VOLTS = 1000
const MAX_SECONDS = 1e6

/** A recorded waveform from a CSV file. It begins when it is connected. Two lines of one time are a jump. */
export const recordedWave = defineElement({
  kind: 'recordedWave',
  summary: 'a recorded waveform from a CSV file, with lines between its samples',
  between: 'source',
  fields: {
    csv: text({
      max: MAX_CHARACTERS,
      examples: ['seconds,volts\n0,0\n0.5,5\n1,0\n'],
      description:
        'text of a CSV file: in each line the time in seconds, then one or more voltages; the first line may have names',
    }),
    column: integer({ min: 1, max: 100, description: 'which voltage of a line' }),
    repeat: boolean({ description: 'whether it begins again at its end, instead of keeping its last voltage' }),
    ohms: inOhms('its internal resistance'),
  },
  defaults: { column: 1, repeat: true, ohms: 0 },
  kept: { first: () => 0, connected: (atMs) => atMs, changed: (startMs) => startMs },
  description: ({ csv, column, ohms }) => {
    const samples = samplesOf(csv, column)
    return `recorded wave of ${samples.length} samples in ${(samples.at(-1)?.ms ?? 0) / MS_PER_SECOND} s behind ${ohms} Ω`
  },
  branch: ({ csv, column, repeat, ohms }, startMs) =>
    new Recording({ samples: samplesOf(csv, column), startMs, repeated: repeat, ohms: Math.max(ohms, IDEAL_OHMS) }),
})

/** The samples of a column, from 0 ms on. Throws `RangeError` that names the invalid line. */
function samplesOf(csv: string, column: number): readonly Sample[] {
  const lines = csv.split(/\r?\n/).map((line, index) => ({ line, number: index + 1 }))
  const written = lines.filter(({ line }) => line.trim() !== '' && !line.startsWith('#'))
  const first = written[0]?.line ?? ''
  const data = /^[\s"]*[A-Za-z]/.test(first) ? written.slice(1) : written
  if (data.length < 2 || data.length > MAX_SAMPLES)
    throw new RangeError(`csv has ${data.length} samples: 2…${MAX_SAMPLES}, one in each line, as in 0.5,3.3`)
  const samples: Sample[] = []
  let startMs: number | undefined
  for (const { line, number } of data) {
    const cells = line.split(/[,;\t]/).map((cell) => Number(cell.trim() === '' ? Number.NaN : cell))
    const [seconds = Number.NaN, volts = Number.NaN] = [cells[0], cells[column]]
    if (!(Math.abs(seconds) <= MAX_SECONDS && Math.abs(volts) <= MAX_VOLTS))
      throw new RangeError(
        `csv has ${shown(line)} in line ${number}: write a time, at most ${MAX_SECONDS} s, and in column ${column} a voltage, -${MAX_VOLTS}…${MAX_VOLTS} V, as in 0.5,3.3`,
      )
    startMs ??= seconds * MS_PER_SECOND
    const ms = seconds * MS_PER_SECOND - startMs
    if (ms < (samples.at(-1)?.ms ?? 0)) throw new RangeError(`csv goes back in time in line ${number}: sort its lines by time`)
    samples.push({ ms, volts })
  }
  if (samples.at(-1)?.ms === 0) throw new RangeError('csv has no length: give its samples different times')
  return samples
}

const MS_PER_MINUTE = 60_000
/** Its second output is a quarter of a line behind the first while it turns forwards. */
const QUARTER = 0.25
const HALF = 0.5

const fields = {
  rpm: decimal({
    description: 'its speed in turns per minute; negative: backwards',
    min: -100_000,
    max: 100_000,
    examples: [300],
  }),
  turns: decimal({ description: 'its position in turns', min: -1e9, max: 1e9 }),
  lines: integer({ min: 1, max: 10_000, description: 'periods of each output in one turn' }),
  highVolts: inVolts('voltage of an output that is high', { min: 0.1, max: 40 }),
  ohms: inOhms('internal resistance of each output', { max: 1_000_000 }),
}

type EncoderValues = OptionsOf<typeof fields>

/** A quadrature encoder: its first output at the pin, its second at the other pin. Both are at rest while it stands still. */
export const encoder = defineElement({
  kind: 'encoder',
  summary: 'a quadrature encoder with position, speed and direction: its outputs at the pin and at the other pin',
  primary: 'rpm',
  between: 'outputs',
  fields,
  defaults: { turns: 0, lines: 100, highVolts: 5, ohms: 100 },
  description: ({ rpm, lines, highVolts }) => `encoder with ${lines} lines at ${rpm} rpm, 0/${highVolts} V`,
  // The moment at which it was at its position.
  kept: {
    first: () => 0,
    connected: (atMs) => atMs,
    changed: (_sinceMs, _change, atMs) => atMs,
    settingsAt: (sinceMs, values, atMs) => ({ turns: turnsAt(values, sinceMs, atMs) }),
  },
  branch: (values, sinceMs) => outputOf(values, sinceMs, 0),
  second: (values, sinceMs) => outputOf(values, sinceMs, QUARTER),
})

function turnsAt({ turns, rpm }: EncoderValues, sinceMs: number, atMs: number): number {
  return turns + (rpm * (atMs - sinceMs)) / MS_PER_MINUTE
}

/** Each output is high in the first half of a line; the second one a quarter later. */
function outputOf({ turns, rpm, lines, highVolts, ohms }: EncoderValues, sinceMs: number, lag: number): Source {
  const low = { volts: 0, ohms: Math.max(ohms, IDEAL_OHMS) }
  const high = { ...low, volts: highVolts }
  const position = turns * lines - lag
  const inLine = position - Math.floor(position)
  if (rpm === 0) return new Steady(inLine < HALF ? high : low)
  const periodMs = MS_PER_MINUTE / (Math.abs(rpm) * lines)
  // Backwards a high part begins at its end.
  const sinceHighMs = (rpm > 0 ? inLine : HALF - inLine) * periodMs
  return alternate({ startMs: sinceMs - sinceHighMs, periodMs, highMs: periodMs / 2 }, high, low)
}
