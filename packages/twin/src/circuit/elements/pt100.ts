import { inVolts } from '../../settings/quantities.ts'
import { Steady } from '../branch.ts'
import { defineElement } from './element.ts'

/** Callendar–Van Dusen, IEC 60751. */
const RATED_OHMS = 100
const A = 3.9083e-3
const B = -5.775e-7
const C = -4.183e-12

export interface Pt100Options {
  /** −200…850. */
  readonly celsius: number
  /** Voltage of its other end; default 0, ground. */
  readonly volts?: number
}

/** A platinum resistance thermometer of 100 Ω at 0 °C. */
export const pt100 = defineElement<Pt100Options, 'celsius'>({
  kind: 'pt100',
  summary: 'a platinum resistance thermometer of 100 Ω at 0 °C, to ground, to a voltage or to another pin',
  primary: 'celsius',
  between: 'either',
  fields: {
    celsius: { type: 'number', meaning: 'its temperature', unit: '°C', min: -200, max: 850 },
    volts: inVolts('voltage of its other end', { default: 0 }),
  },
  description: ({ celsius, volts }) => `PT100 at ${celsius} °C to ${volts} V`,
  branch: ({ celsius, volts }) => new Steady({ volts, ohms: pt100Ohm(celsius) }),
})

/** Resistance at a temperature. */
export function pt100Ohm(celsius: number): number {
  const cold = celsius < 0 ? C * (celsius - RATED_OHMS) * celsius ** 3 : 0
  return RATED_OHMS * (1 + A * celsius + B * celsius * celsius + cold)
}
