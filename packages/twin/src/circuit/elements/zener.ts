import { inVolts } from '../../settings/quantities.ts'
import { defineElement } from './element.ts'
import { type JunctionOptions, type JunctionValues, junction, junctionFields } from './junction.ts'

export type ZenerOptions = JunctionOptions & {
  /** Voltage at 5 mA backwards. */
  readonly zenerVolts: number
}

/** A Zener diode: its anode at the pin. `reversed`, with its cathode at the pin, it limits the voltage there. */
export const zener = defineElement<ZenerOptions, 'zenerVolts', JunctionValues & { readonly zenerVolts: number }>({
  kind: 'zener',
  summary: 'a Zener diode, its anode at the pin unless reversed, to ground, to a voltage or to another pin',
  primary: 'zenerVolts',
  between: 'polar',
  fields: {
    zenerVolts: inVolts('its voltage at 5 mA backwards', { min: 1.8, max: 200 }),
    ...junctionFields({ forwardVolts: 0.7, ideality: 1.2, seriesOhms: 2 }),
  },
  description: ({ zenerVolts, reversed, volts }) =>
    `Zener diode of ${zenerVolts} V, ${reversed ? 'cathode' : 'anode'} at the pin, to ${volts} V`,
  branch: junction,
})
