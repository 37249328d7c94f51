/** Pins of one io module, numbered from 1; spec "IO module resources". */
export const PIN_COUNT = 6

/** Bounds that wire and contract share, all inclusive; spec "IO service" rules and "Limits". */
export const ioLimits = {
  pin: { min: 1, max: PIN_COUNT },
  thresholdMillivolt: { min: 50, max: 25_000, unit: 'mV' },
  debounceMs: { min: 0, max: 1000, unit: 'ms' },
  prescaler: { min: 0, max: 65_535 },
  pwmPeriod: { min: 2, max: 65_536, unit: 'ticks' },
  pwmTimeOn: { min: 0, max: 65_535, unit: 'ticks' },
  /** Per pin, by its rail; wire-protocol.md section 2, "Hardware figures". */
  currentMilliampere: { '5_volt': { min: 0, max: 300, unit: 'mA' }, '12_volt': { min: 0, max: 500, unit: 'mA' } },
} as const

/** Base clock of the pwm timer in Hz; spec IO rule 5. */
export const PWM_CLOCK_HZ = 48_000_000
/** The pwm base frequency must stay below this; spec IO rule 5. */
export const PWM_FREQUENCY_LIMIT_HZ = 1_000_000

/** Why a pwm setting is invalid: always high, or base frequency not below the limit. Integers only, so nothing is rounded. */
export function pwmFault(pwm: { prescaler: number; timeOn: number; period: number }): 'time on' | 'frequency' | undefined {
  if (pwm.timeOn >= pwm.period) return 'time on'
  // PWM_CLOCK_HZ / (prescaler + 1) / period < limit, without a division.
  return PWM_CLOCK_HZ < PWM_FREQUENCY_LIMIT_HZ * (pwm.prescaler + 1) * pwm.period ? undefined : 'frequency'
}

/** Power of an io module for each pin, besides its current; wire-protocol.md section 4. */
const BASE_MILLIWATT_5V0 = { '5_volt': 200, '12_volt': 400 } as const
const VOLT = { '5_volt': 5, '12_volt': 12 } as const

/** The rails of pins. */
export type PinRail = keyof typeof ioLimits.currentMilliampere

/** The supply of a pin, and its highest current. */
export interface PinPower {
  readonly rail: PinRail
  readonly current_milliampere: number
}

/**
 * The power of an io module with this configuration, in milliwatt per rail. The service requests it from the power manager, and the
 * module's descriptor shows it once applied; wire-protocol.md section 4. By the formula, a pin with 0 mA counts its base.
 */
export function powerNeed(config: readonly PinPower[], power3v3: number) {
  const need = { power3v3, power5v0: 0, power12v: 0 }
  for (const { rail, current_milliampere } of config) {
    need.power5v0 += BASE_MILLIWATT_5V0[rail]
    need[rail === '5_volt' ? 'power5v0' : 'power12v'] += current_milliampere * VOLT[rail]
  }
  return need
}
