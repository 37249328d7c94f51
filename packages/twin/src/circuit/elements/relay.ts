import { boolean, decimal, integer } from '@slotwire/contract'
import { inMs, inOhms, inVolts, seedField } from '../../settings/quantities.ts'
import { suppressed, suppressionField } from './coil.ts'
import { defineElement } from './element.ts'

export interface RelayOptions {
  /** Resistance of its coil. */
  readonly ohms: number
  /** Inductance of its coil; default 0.2. */
  readonly henry?: number
  /** Voltage of the coil's other end; default 0, ground. */
  readonly volts?: number
  /** Resistance across the coil, as a multiple of its own: limits the voltage at switch-off; default 1000. */
  readonly suppression?: number
  /** It pulls in when its coil carries more current than at this voltage; default 3.5. */
  readonly pullInVolts?: number
  /** It releases when its coil carries less current than at this voltage; default 1. */
  readonly releaseVolts?: number
  /** Time until the contact moves after the coil has pulled in, in ms; default 5. */
  readonly operateMs?: number
  /** Time until the contact moves back after the coil has released, in ms; default 3. */
  readonly releaseMs?: number
  /** Whether the contact is closed while the coil is off; default false. */
  readonly normallyClosed?: boolean
  /** Resistance of the closed contact; default 0.1. */
  readonly contactOhms?: number
  /** How often its contact opens again when it closes, and closes again when it opens; default 3. */
  readonly bounces?: number
  /** How long it bounces, in ms; default 1. */
  readonly bounceMs?: number
  /** 0…2³²−1; default: from the twin's seed, the pin and the relay. */
  readonly seed?: number
}

/** All its settings. */
export type RelayValues = Required<Omit<RelayOptions, 'seed'>> & Pick<RelayOptions, 'seed'>

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
