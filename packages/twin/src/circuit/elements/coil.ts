import { inOhms, inVolts } from '../../settings/quantities.ts'
import { winding } from '../memory/reactive.ts'
import { defineElement } from './element.ts'

export interface CoilOptions {
  /** As an ohmmeter shows it. */
  readonly ohms: number
  readonly henry: number
  /** What its other end is at; default 0, ground. */
  readonly volts?: number
  /** So many times its own resistance lies across it: how far its voltage may rise when it is switched off; default 1000. */
  readonly suppression?: number
}

/** A relay coil: its current rises and falls as its inductance allows, so a coil that is switched off kicks back. */
export const coil = defineElement<CoilOptions, 'ohms'>({
  kind: 'coil',
  summary: 'a relay coil: resistance and inductance',
  primary: 'ohms',
  fields: {
    ohms: inOhms('its resistance as an ohmmeter shows it', { min: 0.1, max: 1_000_000 }),
    henry: { type: 'number', meaning: 'its inductance', unit: 'H', min: 1e-6, max: 1000 },
    volts: inVolts('what its other end is at', { default: 0 }),
    suppression: {
      type: 'number',
      meaning:
        'how many times its own resistance lies across it, so that it kicks back no higher than this many times its voltage',
      unit: '',
      min: 2,
      max: 1000,
      default: 1000,
    },
  },
  description: ({ ohms, henry, volts }) => `coil of ${ohms} Ω and ${henry} H to ${volts} V`,
  branch: ({ ohms, henry, volts, suppression }) => {
    const acrossOhms = suppression * ohms
    // Both together are what the ohmmeter shows.
    return winding({ ohms: 1 / (1 / ohms - 1 / acrossOhms), henry, acrossOhms, volts })
  },
})
