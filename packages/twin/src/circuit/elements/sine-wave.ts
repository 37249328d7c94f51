import { Steady } from '../branch.ts'
import { Sine } from '../wave/wave.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'
import type { WaveOptions, WaveValues } from './wave-options.ts'
import { checkUpright, describeWave, periodOf, resolveLevels, waveFields } from './wave-options.ts'

/** A sine wave; its period begins in the middle, rising. */
export const sineWave = defineElement<WaveOptions, 'frequencyHz', WaveValues>({
  kind: 'sineWave',
  summary: 'a sine wave, from its middle upwards',
  primary: 'frequencyHz',
  fields: waveFields,
  resolve: resolveLevels,
  description: (values) => `sine wave of ${describeWave(values)}`,
  branch: (values) => {
    checkUpright(values)
    const { lowVolts, highVolts } = values
    const ohms = Math.max(values.ohms, IDEAL_OHMS)
    return lowVolts === highVolts
      ? new Steady({ volts: lowVolts, ohms })
      : new Sine({ ...periodOf(values), lowVolts, highVolts, ohms })
  },
})
