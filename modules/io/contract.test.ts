import { compileBody } from '@slotwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ioContract } from './contract.ts'
import { checkPwm } from './rules.ts'

const { endpoints } = ioContract

describe('POST input/analog/threshold', () => {
  const validate = compileBody(endpoints.setAnalogThreshold)
  const body = { pin: 1, threshold_millivolt: 50, trigger: 'rising' }

  it('accepts 50 and 25000 mV', () => {
    expect(validate(body)).toBeUndefined()
    expect(validate({ ...body, threshold_millivolt: 25_000 })).toBeUndefined()
  })

  it.each([49, 25_001])('refuses %d mV', (millivolt) =>
    expect(validate({ ...body, threshold_millivolt: millivolt })).toBe(
      `threshold_millivolt is out of range: 50…25000 mV, not ${millivolt}`,
    ),
  )

  it('refuses pulse: only digital inputs have it', () =>
    expect(validate({ ...body, trigger: 'pulse' })).toBe('trigger is not allowed: disabled, rising or falling, not "pulse"'))

  it.each([0, 7])('refuses pin %d', (pin) => expect(validate({ ...body, pin })).toBe(`pin is out of range: 1…6, not ${pin}`))
})

describe('POST input/digital/interrupt', () => {
  const validate = compileBody(endpoints.setDigitalInterrupt)

  it('accepts 0 to 1000 ms only', () => {
    const body = { pin: 6, debounce_time_milliseconds: 0, trigger: 'pulse' }
    expect(validate(body)).toBeUndefined()
    expect(validate({ ...body, debounce_time_milliseconds: 1000 })).toBeUndefined()
    expect(validate({ ...body, debounce_time_milliseconds: 1001 })).toBe(
      'debounce_time_milliseconds is out of range: 0…1000 ms, not 1001',
    )
  })
})

describe('POST power-management', () => {
  const validate = compileBody(endpoints.setPowerConfiguration)
  const config = (rail: string, current: number, count = 6) => ({
    config: Array.from({ length: count }, () => ({ rail, current_milliampere: current })),
  })

  it('accepts 0…300 mA on 5_volt and 0…500 mA on 12_volt', () => {
    for (const body of [config('5_volt', 0), config('5_volt', 300), config('12_volt', 0), config('12_volt', 500)]) {
      expect(validate(body)).toBeUndefined()
    }
  })

  it('names the item whose current is too high for its rail', () => {
    const body = { config: [...config('12_volt', 500, 5).config, { rail: '5_volt', current_milliampere: 301 }] }
    expect(validate(body)).toBe('config[5].current_milliampere is out of range: 0…300 mA, not 301, when rail is 5_volt')
  })

  it.each([
    ['12_volt', 501],
    ['5_volt', -1],
    ['5_volt', 501],
  ])('gives the bounds of both rails if the current fits neither: %s, %i mA', (rail, current) => {
    const bounds = '0…300 mA on 5_volt, 0…500 mA on 12_volt'
    expect(validate(config(rail, current))).toBe(`config[0].current_milliampere is out of range: ${bounds}, not ${current}`)
  })

  it.each([0, 5, 7])('refuses %d items', (count) =>
    expect(validate(config('5_volt', 0, count))).toBe('config must have 6 items: one per pin'),
  )
})

describe('POST output/pwm', () => {
  const validate = compileBody(endpoints.setOutputPwm)
  const pwm = (prescaler: number, timeOn: number, period: number) => validate({ pin: 1, prescaler, time_on: timeOn, period })

  it('accepts the bounds of prescaler, period and time_on', () => {
    expect(pwm(65_535, 0, 2)).toBeUndefined()
    expect(pwm(0, 65_535, 65_536)).toBeUndefined()
    expect(pwm(65_536, 0, 2)).toBe('prescaler is out of range: 0…65535, with a pwm base frequency below 1000000 Hz, not 65536')
    for (const period of [1, 65_537]) {
      expect(pwm(0, 0, period)).toBe(
        `period is out of range: 2…65536 ticks, with a pwm base frequency below 1000000 Hz, not ${period}`,
      )
    }
    for (const timeOn of [-1, 65_536])
      expect(pwm(0, timeOn, 100)).toBe(`time_on is out of range: 0…65535 ticks, less than period, not ${timeOn}`)
  })

  it('requires time_on less than period', () => {
    expect(pwm(0, 99, 100)).toBeUndefined()
    expect(pwm(0, 100, 100)).toBe('time_on is out of range: 0…99 ticks, not 100: less than period')
  })

  it('refuses exactly 1 MHz and accepts the next slower setting', () => {
    expect(pwm(0, 1, 48)).toBe(
      'period is out of range: 49…65536 ticks, not 48, with this prescaler: the pwm frequency, 48 MHz / (prescaler + 1) / period, must be below 1000000 Hz',
    )
    expect(pwm(0, 1, 49)).toBeUndefined()
    expect(pwm(47, 0, 2)).toBeUndefined()
    expect(pwm(23, 0, 2)).toMatch(/^period is out of range: 3…65536 ticks, not 2, with this prescaler/)
    expect(pwm(23, 0, 3)).toBeUndefined()
  })

  it('computes the frequency exactly', () => {
    const below = (prescaler: number, period: number) => 48_000_000n < 1_000_000n * BigInt(prescaler + 1) * BigInt(period)
    const prescalers = fc.oneof(fc.nat(60), fc.nat(65_535))
    const periods = fc.oneof(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 2, max: 65_536 }))
    fc.assert(
      fc.property(prescalers, periods, (prescaler, period) => {
        const accepted = checkPwm({ prescaler, time_on: 0, period }) === undefined
        return accepted === below(prescaler, period)
      }),
    )
  })
})

it('has notifications for pins 1 to 6', () => expect(endpoints.getNotification.parameters.pin).toMatchObject({ min: 1, max: 6 }))
