import { decimal } from '@slotwire/contract'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import { defineElement } from './element.ts'

/** A capacitor to ground or to a voltage, or between two pins. It is empty when it is connected. */
export const capacitor = defineElement({
  kind: 'capacitor',
  summary: 'a capacitor to ground or to a voltage, or between two pins',
  primary: 'farad',
  between: 'either',
  fields: {
    farad: decimal({ description: 'its capacitance', unit: 'F', min: 1e-10, max: 0.1, examples: [1e-6] }),
    volts: inVolts('voltage of its other end'),
    seriesOhms: inOhms('its series resistance', { min: 0.01, max: 1000 }),
  },
  defaults: { volts: 0, seriesOhms: 0.1 },
  description: ({ farad, volts }) => `capacitor of ${farad} F to ${volts} V`,
  branch: ({ farad, volts, seriesOhms }) => ({ volts, parts: [{ from: 0, to: 1, ohms: seriesOhms, farad }] }),
})
