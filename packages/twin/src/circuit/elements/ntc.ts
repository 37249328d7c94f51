import { ntcOhm } from '../../ntc.ts'
import { inVolts } from '../../settings/quantities.ts'
import { Steady } from '../branch.ts'
import { defineElement } from './element.ts'

export interface NtcOptions {
  /** −55…150. */
  readonly celsius: number
  /** What its other end is at; default 0, ground. */
  readonly volts?: number
}

/** One of the device's thermistors (10 kΩ at 25 °C) to ground, or to a voltage. */
export const ntc = defineElement<NtcOptions, 'celsius'>({
  kind: 'ntc',
  summary: 'a thermistor of 10 kΩ at 25 °C, to ground or to a voltage',
  primary: 'celsius',
  fields: {
    celsius: { type: 'number', meaning: 'its temperature', unit: '°C', min: -55, max: 150 },
    volts: inVolts('what its other end is at', { default: 0 }),
  },
  description: ({ celsius, volts }) => `NTC at ${celsius} °C to ${volts} V`,
  branch: ({ celsius, volts }) => new Steady({ volts, ohms: ntcOhm(celsius) }),
})
