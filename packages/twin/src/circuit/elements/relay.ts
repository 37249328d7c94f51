import { decimal } from '@slotwire/contract'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import { suppressed, suppressionField } from './coil.ts'
import { contactFields } from './contacts.ts'
import { defineElement } from './element.ts'

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
