import { compileBody } from '@slotwire/contract'
import { describe, expect, it } from 'vitest'
import { bmcContract } from './contract.ts'

const { endpoints } = bmcContract

describe('POST buzzer', () => {
  const validate = compileBody(endpoints.setBuzzer)

  it('takes modes 0 to 5 and durations from 1 to 1000 ms', () => {
    for (const mode of [0, 1, 2, 3, 4, 5]) expect(validate({ mode, duration: 1 })).toBeUndefined()
    expect(validate({ mode: 2, duration: 1000 })).toBeUndefined()
  })

  it.each([0, 1001, -1])('refuses %d ms', (duration) =>
    expect(validate({ mode: 2, duration })).toBe(`duration is out of range: 1…1000 ms, not ${duration}`),
  )

  it('refuses mode 6 and a missing duration', () => {
    expect(validate({ mode: 6, duration: 1 })).toBe('mode is out of range: 0…5, not 6')
    expect(validate({ mode: 0 })).toBe('duration is missing: an integer from 1 to 1000 ms')
  })
})

describe('POST watchdog', () => {
  const validate = compileBody(endpoints.setWatchdog)

  it.each([0, 1000, 600_000])('takes %d ms', (timeout) => expect(validate({ timeout })).toBeUndefined())

  it.each([1, 999, -1, 600_001, Infinity])('refuses %d ms', (timeout) =>
    expect(validate({ timeout })).toBe(`timeout is out of range: 0, or 1000…600000 ms, not ${timeout}`),
  )

  it('gives the same bounds for a missing timeout and one that is not a whole number', () => {
    expect(validate({ timeout: null })).toBe('timeout must be an integer, not null: 0, or 1000…600000 ms')
    expect(validate({ timeout: 0.5 })).toBe('timeout must be a whole number: 0, or 1000…600000 ms, not 0.5')
    expect(validate({})).toBe('timeout is missing: an integer (0, or 1000…600000 ms)')
  })
})

describe('POST watchdog/sw_shutdown_timeout', () => {
  const validate = compileBody(endpoints.setShutdownTimeout)

  it('takes 10000 to 600000 ms', () => {
    expect(validate({ timeout: 10_000 })).toBeUndefined()
    expect(validate({ timeout: 600_000 })).toBeUndefined()
    for (const timeout of [0, 9999, 600_001]) {
      expect(validate({ timeout })).toBe(`timeout is out of range: 10000…600000 ms, not ${timeout}`)
    }
  })
})

describe('POST usb_bootloader', () => {
  const validate = compileBody(endpoints.setUsbBootloader)

  it.each([true, false])('takes 0 to 3600000 ms when enabled is %s', (enabled) => {
    expect(validate({ enabled, timeout: 0 })).toBeUndefined()
    expect(validate({ enabled, timeout: 3_600_000 })).toBeUndefined()
    for (const timeout of [-1, 3_600_001, 1e300]) {
      expect(validate({ enabled, timeout })).toBe(`timeout is out of range: 0…3600000 ms, not ${timeout}`)
    }
  })

  it('needs no timeout when enabled is false', () => {
    expect(validate({ enabled: false })).toBeUndefined()
    expect(validate({ enabled: true })).toBe('timeout is missing: an integer from 0 to 3600000 ms, needed when enabled is true')
  })
})

describe('constants', () => {
  it.each(['resetUsbHub', 'hardReset'] as const)('%s requires reset: yes', (name) => {
    const validate = compileBody(endpoints[name])
    expect(validate({ reset: 'yes' })).toBeUndefined()
    expect(validate({ reset: 'no' })).toBe('reset is not allowed: it must be yes, not "no"')
    expect(validate({ reset: true })).toBe('reset must be a string, not a boolean: yes')
  })

  it('watchdog/shutdown requires shutdown: start', () => {
    const validate = compileBody(endpoints.startShutdown)
    expect(validate({ shutdown: 'start' })).toBeUndefined()
    expect(validate({ shutdown: 'stop' })).toBe('shutdown is not allowed: it must be start, not "stop"')
  })
})

it('usbhub/slot/<number> accepts the slots 0 to 7; the module refuses those without USB', () =>
  expect(endpoints.setUsbSlot.parameters.number).toMatchObject({ min: 0, max: 7 }))
