import { inOhms, inVolts } from '../../settings/quantities.ts'
import { Steady } from '../branch.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

export interface ResistorOptions {
  readonly ohms: number
  /** Voltage of its other end; default 0, ground. */
  readonly volts?: number
}

/** A resistor to ground, or to a voltage: `resistor({ ohms: 10_000, volts: 3.3 })`. */
export const resistor = defineElement<ResistorOptions, 'ohms'>({
  kind: 'resistor',
  summary: 'a resistor to ground, or to a voltage',
  primary: 'ohms',
  between: 'either',
  fields: { ohms: inOhms('its resistance'), volts: inVolts('voltage of its other end', { default: 0 }) },
  description: ({ ohms, volts }) => `resistor of ${ohms} Ω to ${volts} V`,
  branch: ({ ohms, volts }) => new Steady({ volts, ohms: Math.max(ohms, IDEAL_OHMS) }),
})
