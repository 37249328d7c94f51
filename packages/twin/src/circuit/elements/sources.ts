import { decimal } from '@slotwire/contract'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import { PiecewiseLinear } from '../analysis/piecewise-linear.ts'
import { Steady } from '../branch.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

/** A voltage source, ideal unless `ohms` says otherwise: `source({ volts: 24, ohms: 10_000 })`. */
export const source = defineElement({
  kind: 'source',
  summary: 'a voltage source, ideal or with an internal resistance',
  primary: 'volts',
  between: 'source',
  fields: { volts: inVolts('its voltage'), ohms: inOhms('its internal resistance') },
  defaults: { ohms: 0 },
  description: ({ volts, ohms }) => `source of ${volts} V behind ${ohms} Ω`,
  branch: ({ volts, ohms }) => new Steady({ volts, ohms: Math.max(ohms, IDEAL_OHMS) }),
})

const MILLI = 1000
/** Below its highest voltage the source delivers less: it falls to 0 along this resistance. */
const KNEE_OHMS = 10

/** A current source: a sensor with a 4–20 mA loop. Into the pin, from ground or from another pin. */
export const currentSource = defineElement({
  kind: 'currentSource',
  summary: 'a current source into the pin, as a sensor with a 4–20 mA loop, from ground or from another pin',
  primary: 'milliampere',
  between: 'source',
  fields: {
    milliampere: decimal({ description: 'its current', unit: 'mA', min: 0, max: 100, examples: [12] }),
    maxVolts: inVolts('the highest voltage at which it delivers a current', { min: 1, max: 40 }),
  },
  defaults: { maxVolts: 24 },
  description: ({ milliampere, maxVolts }) => `current source of ${milliampere} mA, at most ${maxVolts} V`,
  branch: ({ milliampere, maxVolts }) => {
    if (milliampere === 0) return undefined
    const amps = milliampere / MILLI
    const breakpoints = [
      { volts: maxVolts - amps * KNEE_OHMS, amps: -amps },
      { volts: maxVolts, amps: 0 },
    ]
    return new PiecewiseLinear(breakpoints, {}, maxVolts)
  },
})
