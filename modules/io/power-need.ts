import type { RailPower } from '@slotwire/driver'
import type { Rail } from './rules.ts'

/** Supply of one pin, as a power configuration asks for it. */
export interface PinSupply {
  readonly rail: Rail
  readonly currentMilliampere: number
}

/** What an io module needs beside its pins' current, per pin; wire-protocol.md section 4. */
const BASE_MILLIWATT_5V0 = { '5_volt': 200, '12_volt': 400 } as const
const VOLT = { '5_volt': 5, '12_volt': 12 } as const

/** What an io module asks the power manager for, in mW per rail; wire-protocol.md section 4. 3.3 V is what its descriptor says. */
export function powerNeed(config: readonly PinSupply[], power3v3: number): RailPower {
  const need = { power3v3, power5v0: 0, power12v: 0 }
  for (const { rail, currentMilliampere } of config) {
    need.power5v0 += BASE_MILLIWATT_5V0[rail]
    need[rail === '5_volt' ? 'power5v0' : 'power12v'] += currentMilliampere * VOLT[rail]
  }
  return need
}
