import type { ioLimits } from './limits.ts'

/** Power of an io module for each pin, besides its current; wire-protocol.md section 4. */
const BASE_MILLIWATT_5V0 = { '5_volt': 200, '12_volt': 400 } as const
const VOLT = { '5_volt': 5, '12_volt': 12 } as const

interface PinPower {
  readonly rail: keyof typeof ioLimits.currentMilliampere
  readonly currentMilliampere: number
}

/**
 * The power of an io module with this configuration, in milliwatt per rail. The service requests it from the power manager, and the
 * module's descriptor shows it once applied; wire-protocol.md section 4. By the formula, a pin with 0 mA counts its base.
 */
export function powerNeed(config: readonly PinPower[], power3v3: number) {
  const need = { power3v3, power5v0: 0, power12v: 0 }
  for (const { rail, currentMilliampere } of config) {
    need.power5v0 += BASE_MILLIWATT_5V0[rail]
    need[rail === '5_volt' ? 'power5v0' : 'power12v'] += currentMilliampere * VOLT[rail]
  }
  return need
}
