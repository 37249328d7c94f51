import type { Fields, Settings } from '../../../settings/field.ts'
import { inHertz, inOhms, inVolts } from '../../../settings/quantities.ts'
import { type Source, Steady } from '../../branch.ts'
import { IDEAL_OHMS } from '../element.ts'

const FULL_TURN_DEGREES = 360
const MS_PER_SECOND = 1000

/** Levels of a waveform, in volts: low and high, or a swing of ± amplitude around an offset (default 0). */
export type Levels =
  | { readonly lowVolts: number; readonly highVolts: number }
  | { readonly amplitudeVolts: number; readonly offsetVolts?: number }

interface Period {
  readonly frequencyHz: number
  /** How much earlier than twin time 0 its period begins; default 0. */
  readonly phaseDegrees?: number
  /** Internal resistance; default 0, ideal. */
  readonly ohms?: number
}

/** Options of every periodic waveform. */
export type WaveOptions = Levels & Period

/** Complete options of a waveform. */
export type WaveValues = Required<Period> & { readonly lowVolts: number; readonly highVolts: number }

export const levelFields: Fields = {
  lowVolts: { ...inVolts('its lowest voltage'), neededWith: 'highVolts' },
  highVolts: { ...inVolts('its highest voltage'), neededWith: 'lowVolts' },
  amplitudeVolts: {
    ...inVolts('amplitude on either side of offsetVolts, instead of lowVolts and highVolts'),
    insteadOf: ['lowVolts', 'highVolts'],
  },
  offsetVolts: {
    ...inVolts('middle of the waveform, with amplitudeVolts'),
    insteadOf: ['lowVolts', 'highVolts'],
    neededWith: 'amplitudeVolts',
  },
}

export const waveFields: Fields = {
  ...levelFields,
  frequencyHz: inHertz('periods per second'),
  phaseDegrees: {
    type: 'number',
    meaning: 'phase lead: with 90 the wave begins at the point that it otherwise reaches after a quarter of a period',
    unit: '°',
    min: -36_000,
    max: 36_000,
    default: 0,
  },
  ohms: inOhms('its internal resistance', { default: 0 }),
}

/** Converts amplitude and offset to the lowest and the highest voltage. */
export function resolveLevels(given: Settings, before: Settings | undefined): Settings {
  const { amplitudeVolts, offsetVolts, ...others } = given
  if (amplitudeVolts === undefined && offsetVolts === undefined) return given
  const [low, high] = [Number(before?.['lowVolts'] ?? 0), Number(before?.['highVolts'] ?? 0)]
  const amplitude = Number(amplitudeVolts ?? (high - low) / 2)
  const offset = Number(offsetVolts ?? (low + high) / 2)
  return { ...others, lowVolts: offset - amplitude, highVolts: offset + amplitude }
}

type Swing = Pick<WaveValues, 'lowVolts' | 'highVolts' | 'ohms'>

/** Branch of a waveform between two levels: `moving`, or steady if the levels are equal. Refuses a low level above the high level. */
export function swinging(values: Swing & { readonly phaseDegrees?: number }, moving: (swing: Swing) => Source): Source {
  const { lowVolts, highVolts, phaseDegrees } = values
  const ohms = Math.max(values.ohms, IDEAL_OHMS)
  if (lowVolts < highVolts) return moving({ lowVolts, highVolts, ohms })
  if (lowVolts === highVolts) return new Steady({ volts: lowVolts, ohms })
  // Noise has no phase, so it cannot be inverted by phase either.
  const remedy = phaseDegrees === undefined ? 'swap them' : 'swap them, and turn it with phaseDegrees'
  throw new RangeError(`lowVolts is ${lowVolts}, above highVolts, ${highVolts}: ${remedy}`)
}

/** Start of the period that belongs to twin time 0, and length of a period. */
export function periodOf({ frequencyHz, phaseDegrees }: WaveValues): { startMs: number; periodMs: number } {
  const periodMs = MS_PER_SECOND / frequencyHz
  return { startMs: phaseDegrees === 0 ? 0 : (-phaseDegrees / FULL_TURN_DEGREES) * periodMs, periodMs }
}

/** As in `100 Hz, 0/5 V behind 50 Ω`. */
export function describeWave({ frequencyHz, lowVolts, highVolts, ohms }: WaveValues): string {
  return `${frequencyHz} Hz, ${lowVolts}/${highVolts} V behind ${ohms} Ω`
}
