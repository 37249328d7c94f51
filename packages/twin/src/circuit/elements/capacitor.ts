import { decimal } from '@slotwire/contract'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import { defineElement } from './element.ts'

export interface CapacitorOptions {
  readonly farad: number
  /** Voltage of its other end; default 0, ground. */
  readonly volts?: number
  /** Its series resistance; default 0.1. */
  readonly seriesOhms?: number
}

/** A capacitor to ground or to a voltage, or between two pins. It is empty when it is connected. */
export const capacitor = defineElement<CapacitorOptions, 'farad'>({
  kind: 'capacitor',
  summary: 'a capacitor to ground or to a voltage, or between two pins',
  primary: 'farad',
  between: 'either',
  fields: {
    farad: decimal({ description: 'its capacitance', unit: 'F', min: 1e-10, max: 0.1, examples: [1e-6] }),
    volts: inVolts('voltage of its other end', { default: 0 }),
    seriesOhms: inOhms('its series resistance', { min: 0.01, max: 1000, default: 0.1 }),
  },
  description: ({ farad, volts }) => `capacitor of ${farad} F to ${volts} V`,
  branch: ({ farad, volts, seriesOhms }) => ({ volts, parts: [{ from: 0, to: 1, ohms: seriesOhms, farad }] }),
})
