import { outOfRange } from '@slotwire/contract'
import { ioLimits, PWM_CLOCK_HZ, PWM_FREQUENCY_LIMIT_HZ, pwmFault } from './limits.ts'

/** `time_on` below `period`, and a base frequency below 1 MHz; spec IO rule 5. */
export function checkPwm(pwm: {
  readonly prescaler: number
  readonly time_on: number
  readonly period: number
}): string | undefined {
  const { prescaler, time_on: timeOn, period } = pwm
  const fault = pwmFault({ prescaler, timeOn, period })
  if (fault === undefined) return undefined
  if (fault === 'time on') return `${outOfRange('time_on', { ...ioLimits.pwmTimeOn, max: period - 1 }, timeOn)}: less than period`
  const shortest = Math.floor(PWM_CLOCK_HZ / (PWM_FREQUENCY_LIMIT_HZ * (prescaler + 1))) + 1
  const bounds = outOfRange('period', { ...ioLimits.pwmPeriod, min: shortest }, period)
  return `${bounds}, with this prescaler: the pwm frequency, 48 MHz / (prescaler + 1) / period, must be below ${PWM_FREQUENCY_LIMIT_HZ} Hz`
}
