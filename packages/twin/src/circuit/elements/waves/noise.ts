import { inHertz, inOhms, seedField, UNCONNECTED_SEED } from '../../../settings/quantities.ts'
import { Noise } from '../../wave/noise.ts'
import { defineElement } from '../element.ts'
import { type Levels, levelFields, resolveLevels, swinging, type WaveValues } from './wave-options.ts'

export type NoiseOptions = Levels & {
  /** Random voltages per second, joined by straight lines. */
  readonly frequencyHz: number
  /** Internal resistance; default 0, ideal. */
  readonly ohms?: number
  /** 0…2³²−1; default: from the twin's seed, the pin and the element. */
  readonly seed?: number
}

type NoiseValues = Omit<WaveValues, 'phaseDegrees'> & { readonly seed?: number }

const MS_PER_SECOND = 1000

/** Noise: random voltages between two levels, the same for the same seed. */
export const noise = defineElement<NoiseOptions, 'frequencyHz', NoiseValues>({
  kind: 'noise',
  summary: 'random voltages between two levels, with linear transitions',
  primary: 'frequencyHz',
  between: 'source',
  fields: {
    ...levelFields,
    frequencyHz: inHertz('random voltages per second'),
    ohms: inOhms('its internal resistance', { default: 0 }),
    seed: seedField,
  },
  resolve: resolveLevels,
  description: ({ frequencyHz, lowVolts, highVolts, ohms, seed }) =>
    `noise of ${frequencyHz} Hz, ${lowVolts}…${highVolts} V behind ${ohms} Ω${seed === undefined ? '' : `, seed ${seed}`}`,
  branch: (values) => {
    const { frequencyHz, seed = UNCONNECTED_SEED } = values
    return swinging(values, (swing) => new Noise({ periodMs: MS_PER_SECOND / frequencyHz, ...swing, seed }))
  },
})
