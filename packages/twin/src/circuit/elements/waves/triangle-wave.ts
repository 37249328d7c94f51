import { asShare } from '../../../settings/quantities.ts'
import { Triangle } from '../../wave/wave.ts'
import { defineElement } from '../element.ts'
import type { WaveOptions, WaveValues } from './wave-options.ts'
import { describeWave, periodOf, resolveLevels, swinging, waveFields } from './wave-options.ts'

/** `duty`: share of each period with rising voltage, 0…1; default 0.5. 1 and 0 make sawtooth waves. */
export type TriangleWaveOptions = WaveOptions & { readonly duty?: number }

/** A triangle or sawtooth wave; its period begins at the lowest voltage. */
export const triangleWave = defineElement<TriangleWaveOptions, 'frequencyHz', WaveValues & { readonly duty: number }>({
  kind: 'triangleWave',
  summary: 'a triangle or sawtooth wave that begins at its lowest voltage',
  primary: 'frequencyHz',
  between: 'source',
  fields: { ...waveFields, duty: asShare('share of each period with rising voltage', { default: 0.5 }) },
  resolve: resolveLevels,
  description: (values) => `triangle wave of ${describeWave(values)}, rising for ${values.duty} of the time`,
  branch: (values) => {
    const period = periodOf(values)
    return swinging(values, (swing) => new Triangle({ ...period, ...swing }, values.duty * period.periodMs))
  },
})
