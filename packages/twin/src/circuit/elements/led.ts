import { defineElement } from './element.ts'
import { type JunctionOptions, type JunctionValues, junction, junctionFields } from './junction.ts'

export type LedOptions = JunctionOptions

/** A light-emitting diode: its anode at the pin, its cathode at ground, at a voltage or at another pin. It needs a series resistor. */
export const led = defineElement<LedOptions, 'forwardVolts', JunctionValues>({
  kind: 'led',
  summary: 'a light-emitting diode, its anode at the pin, to ground, to a voltage or to another pin',
  primary: 'forwardVolts',
  between: 'polar',
  fields: junctionFields({ forwardVolts: 2, ideality: 2, seriesOhms: 5 }),
  description: ({ forwardVolts, reversed, volts }) =>
    `LED of ${forwardVolts} V, ${reversed ? 'cathode' : 'anode'} at the pin, to ${volts} V`,
  branch: junction,
})
