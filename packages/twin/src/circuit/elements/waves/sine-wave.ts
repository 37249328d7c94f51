import { Sine } from '../../wave/wave.ts'
import { defineElement } from '../element.ts'
import type { WaveOptions, WaveValues } from './wave-options.ts'
import { describeWave, periodOf, resolveLevels, swinging, waveFields } from './wave-options.ts'

/** A sine wave; its period begins in the middle, rising. */
export const sineWave = defineElement<WaveOptions, 'frequencyHz', WaveValues>({
  kind: 'sineWave',
  summary: 'a sine wave that begins at its middle voltage and rises first',
  primary: 'frequencyHz',
  between: 'source',
  fields: waveFields,
  resolve: resolveLevels,
  description: (values) => `sine wave of ${describeWave(values)}`,
  branch: (values) => swinging(values, (swing) => new Sine({ ...periodOf(values), ...swing })),
})
