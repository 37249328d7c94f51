import { decimal } from '@slotwire/contract'
import { inOhms, inVolts } from '../../settings/quantities.ts'
import type { Reactive } from '../analysis/reactive.ts'
import { defineElement } from './element.ts'

export const suppressionField = decimal({
  description:
    'resistance across the coil as a multiple of its own: limits the voltage peak at switch-off to this multiple of the voltage of the coil',
  min: 2,
  max: 1000,
})

/** A winding that an ohmmeter shows with `ohms`: the meter shows it in parallel with the resistance across it. */
export function suppressed({
  ohms,
  henry,
  volts,
  suppression,
}: Record<'ohms' | 'henry' | 'volts' | 'suppression', number>): Reactive {
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
