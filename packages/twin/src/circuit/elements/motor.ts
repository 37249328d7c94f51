import { decimal } from '@slotwire/contract'
import { inMs, inOhms, inVolts } from '../../settings/quantities.ts'
import type { Part } from '../analysis/reactive.ts'
import { defineElement } from './element.ts'

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
