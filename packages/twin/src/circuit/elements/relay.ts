import { boolean, decimal, integer } from '@slotwire/contract'
import { inMs, inOhms, inVolts, seedField } from '../../settings/quantities.ts'
import { suppressed, suppressionField } from './coil.ts'
import { defineElement, type RelayOptions, type RelayValues } from './element.ts'

const MAX_BOUNCES = 100

/** A relay: its coil at the pin, its contact between two other pins. */
export const relay = defineElement<RelayOptions, 'ohms', RelayValues>({
  kind: 'relay',
  summary: 'a relay: its coil at the pin, its contact between two other pins, with bounce and release time',
  primary: 'ohms',
  fields: {
    ohms: inOhms('resistance of its coil', { min: 1, max: 100_000 }),
    henry: decimal({ description: 'inductance of its coil', unit: 'H', min: 1e-4, max: 100, default: 0.2 }),
    volts: inVolts("voltage of the coil's other end", { default: 0 }),
    suppression: suppressionField,
    pullInVolts: inVolts('it pulls in when its coil carries more current than at this voltage', {
      min: 0.1,
      max: 100,
      default: 3.5,
    }),
    releaseVolts: inVolts('it releases when its coil carries less current than at this voltage', {
      min: 0.05,
      max: 100,
      default: 1,
    }),
    operateMs: inMs('time until the contact moves after the coil has pulled in', { min: 0.01, max: 1000, default: 5 }),
    releaseMs: inMs('time until the contact moves back after the coil has released', { min: 0.01, max: 1000, default: 3 }),
    normallyClosed: boolean({ description: 'whether the contact is closed while the coil is off', default: false }),
    contactOhms: inOhms('resistance of the closed contact', { max: 1000, default: 0.1 }),
    bounces: integer({
      min: 0,
      max: MAX_BOUNCES,
      description: 'number of times that the contact opens again when it closes, and closes again when it opens',
      default: 3,
    }),
    bounceMs: inMs('how long it bounces', { min: 0.01, max: 1000, default: 1 }),
    seed: seedField,
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
