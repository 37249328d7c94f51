import { decimal } from '@slotwire/contract'
import type { BenchSettings, OptionsOf } from '../../settings/kind.ts'
import { asShare, inHertz, inOhms, inVolts, seedField, UNCONNECTED_SEED } from '../../settings/quantities.ts'
import { type Source, Steady } from '../branch.ts'
import { alternate } from '../wave/alternation.ts'
import { Noise } from '../wave/noise.ts'
import { Sine, Triangle } from '../wave/wave.ts'
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
