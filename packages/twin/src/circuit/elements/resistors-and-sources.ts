import { decimal } from '@slotwire/contract'
import { type Thermistor, thermistorOhm } from '@slotwire/core'
import { asShare, inOhms, inVolts } from '../../settings/quantities.ts'
import { PiecewiseLinear } from '../analysis/piecewise-linear.ts'
import { Steady } from '../branch.ts'
import { defineElement, IDEAL_OHMS } from './element.ts'

/** No connection: the terminal is left open. */
export const open = defineElement({
  kind: 'open',
  summary: 'nothing: the terminal is left open',
  description: () => 'open',
  branch: () => undefined,
})

/** A short circuit to ground. */
export const short = defineElement({
  kind: 'short',
  summary: 'a short circuit to ground',
  description: () => 'short to ground',
  branch: () => new Steady({ volts: 0, ohms: IDEAL_OHMS }),
})

/** A resistor to ground, or to a voltage: `resistor({ ohms: 10_000, volts: 3.3 })`. */
export const resistor = defineElement({
  kind: 'resistor',
  summary: 'a resistor to ground, or to a voltage',
  primary: 'ohms',
  between: 'either',
  fields: { ohms: inOhms('its resistance'), volts: inVolts('voltage of its other end') },
  defaults: { volts: 0 },
  description: ({ ohms, volts }) => `resistor of ${ohms} Ω to ${volts} V`,
  branch: ({ ohms, volts }) => new Steady({ volts, ohms: Math.max(ohms, IDEAL_OHMS) }),
})

/** A potentiometer between two voltages, with its wiper on the terminal. */
export const potentiometer = defineElement({
  kind: 'potentiometer',
  summary: 'a potentiometer between two voltages, its wiper on the terminal',
  primary: 'ohms',
  fields: {
    ohms: inOhms('resistance of the whole track', { min: 1 }),
    highVolts: inVolts('voltage at position 1'),
    lowVolts: inVolts('voltage at position 0'),
    position: asShare('position of the wiper: 0 at lowVolts, 1 at highVolts'),
  },
  defaults: { lowVolts: 0, position: 0.5 },
  description: ({ ohms, lowVolts, highVolts, position }) =>
    `potentiometer of ${ohms} Ω between ${lowVolts} and ${highVolts} V at ${position}`,
  // The terminal sees the divider's voltage behind both parts of the track in parallel.
  branch: ({ ohms, lowVolts, highVolts, position }) =>
    new Steady({
      volts: lowVolts + position * (highVolts - lowVolts),
      ohms: Math.max(ohms * position * (1 - position), IDEAL_OHMS),
    }),
})

/** A resistor that depends on its temperature. */
const thermometer = (
  kind: string,
  summary: string,
  { name, min, max }: { name: string; min: number; max: number },
  ohmsAt: (celsius: number) => number,
) =>
  defineElement({
    kind,
    summary,
    primary: 'celsius',
    between: 'either',
    fields: {
      celsius: decimal({ description: 'its temperature', unit: '°C', min, max, examples: [60] }),
      volts: inVolts('voltage of its other end'),
    },
    defaults: { volts: 0 },
    description: ({ celsius, volts }) => `${name} at ${celsius} °C to ${volts} V`,
    branch: ({ celsius, volts }) => new Steady({ volts, ohms: ohmsAt(celsius) }),
  })

/** Values of a common part. */
const PART: Thermistor = { ratedOhm: 10_000, betaKelvin: 3380 }

/** A thermistor of 10 kΩ at 25 °C (B = 3380 K) to ground, or to a voltage. */
export const ntc = thermometer(
  'ntc',
  'a thermistor of 10 kΩ at 25 °C, to ground or to a voltage',
  { name: 'NTC', min: -55, max: 150 },
  (celsius) => thermistorOhm(PART, celsius),
)

/** Callendar–Van Dusen, IEC 60751. */
const RATED_OHMS = 100
const A = 3.9083e-3
const B = -5.775e-7
const C = -4.183e-12

/** A platinum resistance thermometer of 100 Ω at 0 °C. */
export const pt100 = thermometer(
  'pt100',
  'a platinum resistance thermometer of 100 Ω at 0 °C, to ground, to a voltage or to another pin',
  { name: 'PT100', min: -200, max: 850 },
  (celsius) => {
    const cold = celsius < 0 ? C * (celsius - 100) * celsius ** 3 : 0
    return RATED_OHMS * (1 + A * celsius + B * celsius * celsius + cold)
  },
)

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
