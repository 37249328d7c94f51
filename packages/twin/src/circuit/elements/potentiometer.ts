import { asShare, inOhms, inVolts } from '../../settings/quantities.ts'
import { Steady } from '../branch.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

export interface PotentiometerOptions {
  /** Resistance of the whole track. */
  readonly ohms: number
  readonly highVolts: number
  /** Default 0, ground. */
  readonly lowVolts?: number
  /** Position of the wiper: 0 at `lowVolts`, 1 at `highVolts`; default 0.5. */
  readonly position?: number
}

/** A potentiometer between two voltages, with its wiper on the terminal. */
export const potentiometer = defineElement<PotentiometerOptions, 'ohms'>({
  kind: 'potentiometer',
  summary: 'a potentiometer between two voltages, its wiper on the terminal',
  primary: 'ohms',
  fields: {
    ohms: inOhms('resistance of the whole track', { min: 1 }),
    highVolts: inVolts('voltage at position 1'),
    lowVolts: inVolts('voltage at position 0', { default: 0 }),
    position: asShare('position of the wiper: 0 at lowVolts, 1 at highVolts', { default: 0.5 }),
  },
  description: ({ ohms, lowVolts, highVolts, position }) =>
    `potentiometer of ${ohms} Ω between ${lowVolts} and ${highVolts} V at ${position}`,
  // The terminal sees the divider's voltage behind both parts of the track in parallel.
  branch: ({ ohms, lowVolts, highVolts, position }) =>
    new Steady({
      volts: lowVolts + position * (highVolts - lowVolts),
      ohms: Math.max(ohms * position * (1 - position), IDEAL_OHMS),
    }),
})
