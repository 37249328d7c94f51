import { asShare } from '../../../settings/quantities.ts'
import { alternate } from '../../level/alternation.ts'
import { defineElement, IDEAL_OHMS } from '../element.ts'
import type { WaveOptions, WaveValues } from './wave-options.ts'
import { describeWave, periodOf, resolveLevels, waveFields } from './wave-options.ts'

/** `duty`: share of each period with the high voltage, 0…1; default 0.5. */
export type SquareWaveOptions = WaveOptions & { readonly duty?: number }

/** A square wave; its high part begins with the period. */
export const squareWave = defineElement<SquareWaveOptions, 'frequencyHz', WaveValues & { readonly duty: number }>({
  kind: 'squareWave',
  summary: 'a square wave, its high part first',
  primary: 'frequencyHz',
  between: 'source',
  fields: { ...waveFields, duty: asShare('share of each period with the high voltage', { default: 0.5 }) },
  resolve: resolveLevels,
  description: (values) => `square wave of ${describeWave(values)}, high for ${values.duty} of the time`,
  branch: (values) => {
    const { startMs, periodMs } = periodOf(values)
    const ohms = Math.max(values.ohms, IDEAL_OHMS)
    const timing = { startMs, periodMs, highMs: values.duty * periodMs }
    return alternate(timing, { volts: values.highVolts, ohms }, { volts: values.lowVolts, ohms })
  },
})
