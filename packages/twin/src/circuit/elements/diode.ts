import { defineElement } from './element.ts'
import { type JunctionOptions, type JunctionValues, junction, junctionFields } from './junction.ts'

export type DiodeOptions = JunctionOptions

/** A diode: its anode at the pin, its cathode at ground, at a voltage or at another pin. */
export const diode = defineElement<DiodeOptions, 'forwardVolts', JunctionValues>({
  kind: 'diode',
  summary: 'a diode, its anode at the pin, to ground, to a voltage or to another pin',
  primary: 'forwardVolts',
  between: 'polar',
  fields: junctionFields({ forwardVolts: 0.7, ideality: 1.75, seriesOhms: 0.5 }),
  description: ({ forwardVolts, reversed, volts }) =>
    `diode of ${forwardVolts} V, ${reversed ? 'cathode' : 'anode'} at the pin, to ${volts} V`,
  branch: junction,
})
