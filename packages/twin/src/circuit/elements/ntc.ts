import { type Thermistor, thermistorOhm } from '@slotwire/core'
import { inVolts } from '../../settings/quantities.ts'
import { Steady } from '../branch.ts'
import { defineElement } from './element.ts'

/** Values of a common part. */
const PART: Thermistor = { ratedOhm: 10_000, betaKelvin: 3380 }

export interface NtcOptions {
  /** −55…150. */
  readonly celsius: number
  /** Voltage of its other end; default 0, ground. */
  readonly volts?: number
}

/** A thermistor of 10 kΩ at 25 °C (B = 3380 K) to ground, or to a voltage. */
export const ntc = defineElement<NtcOptions, 'celsius'>({
  kind: 'ntc',
  summary: 'a thermistor of 10 kΩ at 25 °C, to ground or to a voltage',
  primary: 'celsius',
  between: 'either',
  fields: {
    celsius: { type: 'number', meaning: 'its temperature', unit: '°C', min: -55, max: 150 },
    volts: inVolts('voltage of its other end', { default: 0 }),
  },
  description: ({ celsius, volts }) => `NTC at ${celsius} °C to ${volts} V`,
  branch: ({ celsius, volts }) => new Steady({ volts, ohms: thermistorOhm(PART, celsius) }),
})
