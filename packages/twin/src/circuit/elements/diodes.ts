import { boolean, decimal } from '@slotwire/contract'
import type { OptionsOf } from '../../settings/kind.ts'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import { type Breakpoint, PiecewiseLinear } from '../analysis/piecewise-linear.ts'
import { defineElement } from './element.ts'

/** Thermal voltage at 27 °C, in volts. */
const THERMAL_VOLTS = 0.025_865
/** Forward voltages are given at 10 mA, Zener voltages at 5 mA. */
const FORWARD_AMPS = 0.01
const ZENER_AMPS = 0.005
/** Most by which a chord is beside the exponential curve, and so more than a segment is: a chord that is moved to both sides. */
const CHORD_VOLTS = 0.0005
/** Chords are on one side of the curve: moved by this share of that, they are on both. */
const CENTRED_SHARE = 2 / 3
/** There are breakpoints from the first to the last current. Below it is a chord to 0, above it a straight line. */
const FIRST_AMPS = 2e-10
const LAST_AMPS = 10

/** Settings of a part with a pn junction. */
const junctionFields = {
  forwardVolts: inVolts('its forward voltage at 10 mA', { min: 0.2, max: 10 }),
  ideality: decimal({ min: 1, max: 8, description: 'ideality factor of its exponential curve' }),
  seriesOhms: inOhms('its series resistance', { min: 0.01, max: 10 }),
  reversed: boolean({ description: 'whether its cathode is at the pin, instead of its anode' }),
  volts: inVolts('voltage of its other end'),
}
/** Its cathode is at ground. */
const FORWARD = { reversed: false, volts: 0 }

type JunctionValues = OptionsOf<typeof junctionFields>

/** An exponential curve through a voltage and a current. */
interface Exponential {
  readonly atVolts: number
  readonly atAmps: number
  /** Ideality × thermal voltage. */
  readonly scaleVolts: number
  readonly seriesOhms: number
  /** Subtracted from the exponential function: 1 for I × (e^(v / scale) − 1), 0 in a breakdown. */
  readonly less: 0 | 1
}

/** Breakpoints so close that no chord is more than `CHORD_VOLTS` beside the curve. */
function breakpointsOf({ atVolts, atAmps, scaleVolts, seriesOhms, less }: Exponential): Breakpoint[] {
  const saturation = atAmps / (Math.exp((atVolts - atAmps * seriesOhms) / scaleVolts) - less)
  const voltsAt = (amps: number): number => scaleVolts * Math.log(amps / saturation + less)
  const [first, last] = [voltsAt(FIRST_AMPS), voltsAt(LAST_AMPS)]
  const step = Math.sqrt((8 * CHORD_VOLTS) / scaleVolts)
  const count = Math.ceil((last - first) / scaleVolts / step)
  return Array.from({ length: count + 1 }, (_, index) => {
    const volts = first + (index / count) * (last - first)
    const amps = saturation * (Math.exp(volts / scaleVolts) - less)
    return { volts: volts + CENTRED_SHARE * CHORD_VOLTS + amps * seriesOhms, amps }
  })
}

/** The characteristic of a junction; with `zenerVolts` it conducts backwards too. Without it nothing flows backwards. */
function junction(values: JunctionValues & { readonly zenerVolts?: number }): PiecewiseLinear {
  const { forwardVolts, ideality, seriesOhms, reversed, volts, zenerVolts } = values
  const scaleVolts = ideality * THERMAL_VOLTS
  const forward = breakpointsOf({ atVolts: forwardVolts, atAmps: FORWARD_AMPS, scaleVolts, seriesOhms, less: 1 })
  const breakdown = { atVolts: zenerVolts ?? 0, atAmps: ZENER_AMPS, scaleVolts: THERMAL_VOLTS, seriesOhms, less: 0 } as const
  const backward = zenerVolts === undefined ? [] : breakpointsOf(breakdown).map(mirrored).reverse()
  const breakpoints = [...backward, { volts: 0, amps: 0 }, ...forward]
  const placed = (reversed ? breakpoints.map(mirrored).reverse() : breakpoints).map((breakpoint) => ({
    ...breakpoint,
    volts: breakpoint.volts + volts,
  }))
  const forwardOhms = seriesOhms + scaleVolts / LAST_AMPS
  const backwardOhms = zenerVolts === undefined ? undefined : seriesOhms + THERMAL_VOLTS / LAST_AMPS
  const [firstOhms, lastOhms] = reversed ? [forwardOhms, backwardOhms] : [backwardOhms, forwardOhms]
  return new PiecewiseLinear(placed, { firstOhms, lastOhms }, volts)
}

function mirrored({ volts, amps }: Breakpoint): Breakpoint {
  return { volts: -volts, amps: -amps }
}

const descriptionOf = (name: string, ofVolts: number, { reversed, volts }: JunctionValues) =>
  `${name} of ${ofVolts} V, ${reversed ? 'cathode' : 'anode'} at the pin, to ${volts} V`

/** A part that conducts in one direction, called `name` in descriptions. */
const rectifying = (
  kind: string,
  what: string,
  name: string,
  own: { forwardVolts: number; ideality: number; seriesOhms: number },
) =>
  defineElement({
    kind,
    summary: `${what}, its anode at the pin, to ground, to a voltage or to another pin`,
    primary: 'forwardVolts',
    between: 'polar',
    fields: junctionFields,
    defaults: { ...own, ...FORWARD },
    description: (values) => descriptionOf(name, values.forwardVolts, values),
    branch: junction,
  })

/** A diode: its anode at the pin, its cathode at ground, at a voltage or at another pin. */
export const diode = rectifying('diode', 'a diode', 'diode', { forwardVolts: 0.7, ideality: 1.75, seriesOhms: 0.5 })

/** A light-emitting diode: its anode at the pin, its cathode at ground, at a voltage or at another pin. It needs a series resistor. */
export const led = rectifying('led', 'a light-emitting diode', 'LED', { forwardVolts: 2, ideality: 2, seriesOhms: 5 })

/** A Zener diode: its anode at the pin. `reversed`, with its cathode at the pin, it limits the voltage there. */
export const zener = defineElement({
  kind: 'zener',
  summary: 'a Zener diode, its anode at the pin unless reversed, to ground, to a voltage or to another pin',
  primary: 'zenerVolts',
  between: 'polar',
  fields: { zenerVolts: inVolts('its voltage at 5 mA backwards', { min: 1.8, max: 200 }), ...junctionFields },
  defaults: { forwardVolts: 0.7, ideality: 1.2, seriesOhms: 2, ...FORWARD },
  description: (values) => descriptionOf('Zener diode', values.zenerVolts, values),
  branch: junction,
})
