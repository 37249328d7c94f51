import { inOhms, inVolts } from '../../settings/quantities.ts'
import { Steady } from '../branch.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

export interface SourceOptions {
  readonly volts: number
  /** Internal resistance; default 0, ideal. */
  readonly ohms?: number
}

/** A voltage source, ideal unless `ohms` says otherwise: `source({ volts: 24, ohms: 10_000 })`. */
export const source = defineElement<SourceOptions, 'volts'>({
  kind: 'source',
  summary: 'a voltage source, ideal or with an internal resistance',
  primary: 'volts',
  between: 'source',
  fields: { volts: inVolts('its voltage'), ohms: inOhms('its internal resistance', { default: 0 }) },
  description: ({ volts, ohms }) => `source of ${volts} V behind ${ohms} Ω`,
  branch: ({ volts, ohms }) => new Steady({ volts, ohms: Math.max(ohms, IDEAL_OHMS) }),
})
