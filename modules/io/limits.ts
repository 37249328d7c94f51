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
