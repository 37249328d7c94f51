import { decimal } from '@slotwire/contract'
import { inMs, inOhms, inVolts } from '../../settings/quantities.ts'
import type { Part, Reactive } from '../analysis/reactive.ts'
import { contactFields } from './contacts.ts'
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

const suppressionField = decimal({
  description:
    'resistance across the coil as a multiple of its own: limits the voltage peak at switch-off to this multiple of the voltage of the coil',
  min: 2,
  max: 1000,
})

/** A winding that an ohmmeter shows with `ohms`: the meter shows it in parallel with the resistance across it. */
function suppressed({ ohms, henry, volts, suppression }: Record<'ohms' | 'henry' | 'volts' | 'suppression', number>): Reactive {
  const acrossOhms = suppression * ohms
  const parts = [
    { from: 0, to: 1, ohms: 1 / (1 / ohms - 1 / acrossOhms), henry },
    { from: 0, to: 1, ohms: acrossOhms },
  ]
  return { volts, parts }
}

/** A relay coil. Its inductance limits how fast the current changes, so it kicks back when it is switched off. */
export const coil = defineElement({
  kind: 'coil',
  summary: 'a relay coil: resistance and inductance',
  primary: 'ohms',
  between: 'either',
  fields: {
    ohms: inOhms('its resistance as an ohmmeter shows it', { min: 0.1, max: 1_000_000 }),
    henry: decimal({ description: 'its inductance', unit: 'H', min: 1e-6, max: 1000, examples: [0.2] }),
    volts: inVolts('voltage of its other end'),
    suppression: suppressionField,
  },
  defaults: { volts: 0, suppression: 1000 },
  description: ({ ohms, henry, volts }) => `coil of ${ohms} Ω and ${henry} H to ${volts} V`,
  branch: suppressed,
})

/** Losses: resistance across a winding with inductance, as a multiple of the motor's resistance. */
export const LOSSES_MULTIPLE = 1000
const MS_PER_SECOND = 1000

/**
 * A DC motor. At standstill it draws a multiple of its running current, and less the faster it turns. Its rotor returns its energy: a
 * turning motor is a source.
 */
export const motor = defineElement({
  kind: 'motor',
  summary: 'a dc motor: takes more current while it starts, and generates a voltage while it turns',
  primary: 'ohms',
  between: 'either',
  fields: {
    ohms: inOhms('voltage / current while it runs', { min: 1, max: 100_000 }),
    startUpMultiple: decimal({ description: 'start-up current / running current', min: 1.1, max: 50 }),
    startUpMs: inMs('time constant of the falling start-up current', { min: 1, max: 60_000 }),
    henry: decimal({ description: 'inductance of its winding', unit: 'H', min: 0, max: 1 }),
    volts: inVolts('voltage of its other end'),
  },
  defaults: { startUpMultiple: 5, startUpMs: 200, henry: 0.002, volts: 0 },
  description: ({ ohms, startUpMultiple, startUpMs, volts }) =>
    `motor of ${ohms} Ω to ${volts} V, ${startUpMultiple} times the current at first, for ${startUpMs} ms`,
  branch: ({ ohms, startUpMultiple, startUpMs, henry, volts }) => {
    const losses: Part[] = henry === 0 ? [] : [{ from: 0, to: 1, ohms: ohms * LOSSES_MULTIPLE }]
    const lossSiemens = henry === 0 ? 0 : 1 / (ohms * LOSSES_MULTIPLE)
    // In parallel with the losses it has `ohms` while it runs, and `ohms` / multiple at standstill.
    const windingOhms = 1 / (startUpMultiple / ohms - lossSiemens)
    const frictionOhms = 1 / (1 / ohms - lossSiemens) - windingOhms
    // The rotor is a capacitor, C = J / k², whose voltage is the back-EMF, k × speed. A stiff source puts winding and friction in parallel.
    const farad = (startUpMs / MS_PER_SECOND) * (1 / windingOhms + 1 / frictionOhms)
    const winding: Part = { from: 0, to: 2, ohms: windingOhms, ...(henry === 0 ? {} : { henry }) }
    return { volts, parts: [winding, { from: 2, to: 1, ohms: 0, farad }, { from: 2, to: 1, ohms: frictionOhms }, ...losses] }
  },
})

/** A relay: its coil at the pin, its contact between two other pins. */
export const relay = defineElement({
  kind: 'relay',
  summary: 'a relay: its coil at the pin, its contact between two other pins, with bounce and release time',
  primary: 'ohms',
  fields: {
    ohms: inOhms('resistance of its coil', { min: 1, max: 100_000 }),
    henry: decimal({ description: 'inductance of its coil', unit: 'H', min: 1e-4, max: 100 }),
    volts: inVolts("voltage of the coil's other end"),
    suppression: suppressionField,
    ...contactFields,
  },
  defaults: {
    henry: 0.2,
    volts: 0,
    suppression: 1000,
    pullInVolts: 3.5,
    releaseVolts: 1,
    operateMs: 5,
    releaseMs: 3,
    normallyClosed: false,
    contactOhms: 0.1,
    bounces: 3,
    bounceMs: 1,
  },
  optional: ['seed'],
  description: ({ ohms, volts, pullInVolts, releaseVolts }) =>
    `relay with a coil of ${ohms} Ω to ${volts} V, pulls in at ${pullInVolts} V, releases at ${releaseVolts} V`,
  branch: suppressed,
  contact: (values) => {
    const { pullInVolts, releaseVolts } = values
    if (releaseVolts < pullInVolts) return values
    throw new RangeError(`releaseVolts is ${releaseVolts}, not below pullInVolts, ${pullInVolts}: lower it`)
  },
})
