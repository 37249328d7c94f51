import { asShare } from '../../settings/quantities.ts'
import { Triangle } from '../wave/wave.ts'
import { defineElement } from './element.ts'
import type { WaveOptions, WaveValues } from './wave-options.ts'
import { describeWave, periodOf, resolveLevels, swinging, waveFields } from './wave-options.ts'

/** `duty`: the share of each period that it rises for, 0…1; default 0.5, 1 and 0 are saws. */
export type TriangleWaveOptions = WaveOptions & { readonly duty?: number }

/** A triangle wave or a saw; its period begins at the bottom, rising. */
export const triangleWave = defineElement<TriangleWaveOptions, 'frequencyHz', WaveValues & { readonly duty: number }>({
  kind: 'triangleWave',
  summary: 'a triangle wave or a saw, from its bottom upwards',
  primary: 'frequencyHz',
  fields: { ...waveFields, duty: asShare('the share of each period that it rises for', { default: 0.5 }) },
  resolve: resolveLevels,
  description: (values) => `triangle wave of ${describeWave(values)}, rising for ${values.duty} of the time`,
  branch: (values) => {
    const period = periodOf(values)
    return swinging(values, (swing) => new Triangle({ ...period, ...swing }, values.duty * period.periodMs))
  },
})
