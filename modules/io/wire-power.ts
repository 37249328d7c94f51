import type { PinPower } from './wire.ts'

/** What an io module needs beside its pins' current, per pin; wire-protocol.md section 4. */
const BASE_MILLIWATT_5V0 = { '5_volt': 200, '12_volt': 400 } as const
const VOLT = { '5_volt': 5, '12_volt': 12 } as const

/**
 * Milliwatt per rail that an io module with this configuration needs: what the service asks the power manager for, and what the module's descriptor shows
 * once it is applied; wire-protocol.md section 4. A pin with 0 mA keeps its base, as the formula is written.
 */
export function powerNeed(config: readonly PinPower[], power3v3: number) {
  const need = { power3v3, power5v0: 0, power12v: 0 }
  for (const { rail, currentMilliampere } of config) {
    need.power5v0 += BASE_MILLIWATT_5V0[rail]
    need[rail === '5_volt' ? 'power5v0' : 'power12v'] += currentMilliampere * VOLT[rail]
  }
  return need
}
