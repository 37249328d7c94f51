import { compileBody } from '@slotwire/contract'
import { describe, expect, it } from 'vitest'
import { powerContract } from './contract.ts'

const { endpoints } = powerContract

describe('POST limits', () => {
  const validate = compileBody(endpoints.setLimits)
  const body = { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 }

  it.each([
    ['limit_3v3', 1001, 5949],
    ['limit_5v0', 1001, 4949],
    ['limit_12v', 101, 2399],
  ])('accepts %s from %d to %d mA only', (name, min, max) => {
    for (const limit of [min, max]) expect(validate({ ...body, [name]: limit })).toBeUndefined()
    for (const limit of [min - 1, max + 1]) {
      expect(validate({ ...body, [name]: limit })).toBe(`${name} is out of range: ${min}…${max} mA, not ${limit}`)
    }
  })
})

describe('POST fan', () => {
  const validate = compileBody(endpoints.setFan)

  it.each([0, 20, 40, 60, 80, 100])('takes %d %%', (mode) =>
    expect(validate({ fan_forced: true, fan_mode: mode })).toBeUndefined(),
  )

  it.each([10, 120, -20])('refuses %d %%, forced or not', (mode) => {
    for (const forced of [true, false]) {
      expect(validate({ fan_forced: forced, fan_mode: mode })).toBe(
        `fan_mode is not allowed: 0, 20, 40, 60, 80 or 100 %, not ${mode}`,
      )
    }
  })

  it('requires the mode only when it is forced', () => {
    expect(validate({ fan_forced: false })).toBeUndefined()
    expect(validate({ fan_forced: true })).toBe('fan_mode is missing: 0, 20, 40, 60, 80 or 100 %, needed when fan_forced is true')
  })

  it('requires a boolean', () =>
    expect(validate({ fan_forced: 'true', fan_mode: 20 })).toBe('fan_forced must be true or false, not a string'))
})

it('POST fan/rpm suggests the correct name for a misspelled field', () => {
  const validate = compileBody(endpoints.setFanRpm)
  expect(validate({ measurement_enabled: false })).toBeUndefined()
  expect(validate({ measurementEnabled: true })).toBe('measurementEnabled is unknown: did you mean measurement_enabled?')
})
