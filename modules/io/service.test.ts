import { describe, expect, it } from 'vitest'
import { Refused } from '../../packages/service/src/fake-slot.testkit.ts'
import { HandlerHarness } from '../../tests/device/handlers.testkit.ts'
import { ioService } from './service.ts'
import { InputStatus, OutputStatus } from './wire.ts'

const quiet = { under_voltage_alert: false, high_voltage_alert: false, high_current_alert: false, custom_voltage_alert: false }
const bench = (script: Readonly<Record<string, unknown>> = {}) => new HandlerHarness(ioService, script)

describe('GET notification/<pin>', () => {
  it('maps each mask to its flag, and clears this pin only', async () => {
    const io = bench()
    io.slot.notifications.merge(Uint8Array.of(0b11, 0b10, 0b10, 0b11))
    expect(await io.call('getNotification', undefined, { pin: 1 })).toEqual({
      ...quiet,
      custom_voltage_alert: true,
      high_voltage_alert: true,
    })
    expect(await io.call('getNotification', undefined, { pin: 1 })).toEqual(quiet)
    expect(await io.call('getNotification', undefined, { pin: 2 })).toEqual({
      under_voltage_alert: true,
      high_voltage_alert: true,
      high_current_alert: true,
      custom_voltage_alert: true,
    })
  })

  it.each([
    ['info', 0, 'custom_voltage_alert'],
    ['warn', 1, 'high_current_alert'],
    ['warn', 2, 'under_voltage_alert'],
    ['warn', 3, 'high_voltage_alert'],
  ])('is at level %s in the log if byte %i has pin 6: %s', (level, index, alert) => {
    const bytes = new Uint8Array(4).fill(0b100000, index, index + 1)
    expect(ioService.readNotification?.(bytes)).toEqual({ level, fields: { pins: [{ pin: 6, alerts: [alert] }] } })
  })
})

describe('POST power-management', () => {
  const body = {
    config: Array.from({ length: 6 }, (_, pin) => ({ rail: pin < 3 ? '5_volt' : '12_volt', current_milliampere: 100 })),
  }
  const config = body.config.map(({ rail }) => ({ rail, current_milliampere: 100 }))

  it('tests the configuration, then sets it if the budget is granted', async () => {
    const io = bench({ TEST_POWER_CONFIG: {}, SET_POWER_CONFIG: {} })
    expect(await io.call('setPowerConfiguration', body)).toEqual({
      status: 'success',
      too_much_power: { rail_3v3_milliwatt: 0, rail_5v0_milliwatt: 0, rail_12v_milliwatt: 0 },
    })
    expect(io.needs).toEqual([{ power3v3: 300, power5v0: 3 * 700 + 3 * 400, power12v: 3 * 1200 }])
    expect(io.sent()).toEqual([
      ['TEST_POWER_CONFIG', { config }],
      ['SET_POWER_CONFIG', { config }],
    ])
  })

  it('returns what is missing if it is denied, and sends nothing', async () => {
    const io = bench()
    io.decision = { granted: false, missing: { power3v3: 1, power5v0: 2, power12v: 3 } }
    expect(await io.call('setPowerConfiguration', body)).toEqual({
      status: 'denied',
      too_much_power: { rail_3v3_milliwatt: 1, rail_5v0_milliwatt: 2, rail_12v_milliwatt: 3 },
    })
    expect(io.sent()).toEqual([])
  })
})

describe('GET input/values', () => {
  it('has the kinds of the specification', async () => {
    const kinds = ['voltage_millivolt', 'digital_input', 'frequency_hertz']
    const io = bench({ GET_VALUES: { readings: kinds.map((type, index) => ({ pin: index + 1, type, value: index })) } })
    const reply = (await io.call('getInputValues')) as { pins: { pin_type: string }[] }
    expect(reply.pins[1]).toEqual({ pin: 2, pin_type: 'digital_input', value: 1 })
    expect(reply.pins.map(({ pin_type }) => pin_type)).toEqual(kinds)
  })

  it('fails instead of returning a current as a voltage', async () => {
    const io = bench({ GET_VALUES: { readings: [{ pin: 1, type: 'current_milliampere', value: 3 }] } })
    await expect(io.call('getInputValues')).rejects.toMatchObject({ status: 500 })
  })

  it('returns currents at input/values/current', async () => {
    const io = bench({ GET_CURRENT_VALUES: { readings: [{ pin: 1, type: 'current_milliampere', value: 3 }] } })
    expect(await io.call('getInputCurrents')).toEqual({ pins: [{ pin: 1, pin_type: 'current_milliampere', value: 3 }] })
  })
})

describe('a write to a pin', () => {
  const timing = { pin: 1, prescaler: 47, period: 1000 }
  it.each([
    ['setInputMode', { pin: 3, mode: 'digital' }, ['SET_INPUT_MODE', { pin: 3, mode: 'digital' }]],
    [
      'setAnalogThreshold',
      { pin: 4, threshold_millivolt: 2500, trigger: 'falling' },
      ['SET_ANALOG_THRESHOLD', { pin: 4, millivolt: 2500, trigger: 'falling' }],
    ],
    [
      'setDigitalInterrupt',
      { pin: 5, debounce_time_milliseconds: 250, trigger: 'pulse' },
      ['SET_DIGITAL_INTERRUPT', { pin: 5, debounceMs: 250, trigger: 'pulse' }],
    ],
    ['setDigitalCounter', { pin: 6, state: 'enabled' }, ['SET_DIGITAL_COUNTER', { pin: 6, state: 'enabled' }]],
    ['setOutputState', { pin: 2, state: 'high' }, ['SET_OUTPUT state', { pin: 2, state: 'high' }]],
    ['setOutputPwm', { ...timing, time_on: 250 }, ['SET_OUTPUT pwm', { ...timing, timeOn: 250 }]],
    // The timer would hold the pin high.
    ['setOutputPwm', { ...timing, time_on: 0 }, ['SET_OUTPUT state', { pin: 1, state: 'low' }]],
  ] as const)('passes its fields on: %s with %j', async (name, body, sent) => {
    const io = bench({ [sent[0]]: {} })
    expect(await io.call(name, body)).toEqual({ status: 'success' })
    expect(io.sent()).toEqual([sent])
  })
})

describe('a refusal of the module', () => {
  const pin = 4
  it.each([
    [
      'setAnalogThreshold',
      'SET_ANALOG_THRESHOLD',
      InputStatus.invalidMode,
      { pin, threshold_millivolt: 50, trigger: 'rising' },
      'pin-not-analog',
    ],
    [
      'setDigitalInterrupt',
      'SET_DIGITAL_INTERRUPT',
      InputStatus.invalidMode,
      { pin, debounce_time_milliseconds: 0, trigger: 'pulse' },
      'pin-not-digital',
    ],
    ['setDigitalCounter', 'SET_DIGITAL_COUNTER', InputStatus.invalidMode, { pin, state: 'enabled' }, 'pin-not-digital'],
    [
      'setOutputState',
      'SET_OUTPUT state',
      OutputStatus.powerConfigurationMissing,
      { pin, state: 'high' },
      'power-configuration-missing',
    ],
    ['setOutputState', 'SET_OUTPUT state', OutputStatus.externalVoltage, { pin, state: 'high' }, 'external-voltage'],
    [
      'setOutputPwm',
      'SET_OUTPUT pwm',
      OutputStatus.powerConfigurationMissing,
      { pin, prescaler: 0, time_on: 1, period: 99 },
      'power-configuration-missing',
    ],
    [
      'setOutputPwm',
      'SET_OUTPUT state',
      OutputStatus.externalVoltage,
      { pin, prescaler: 0, time_on: 0, period: 99 },
      'external-voltage',
    ],
  ])('becomes an error that names the pin: %s, %s with status %i', async (name, command, status, body, code) => {
    const io = bench({ [command]: new Refused(status) })
    await expect(io.call(name, body)).rejects.toMatchObject({
      status: 400,
      code,
      message: expect.stringContaining('pin 4') as string,
    })
  })

  it('becomes the general error if the specification has no specific one', async () => {
    const io = bench({ SET_INPUT_MODE: new Refused(InputStatus.invalidMode) })
    await expect(io.call('setInputMode', { pin, mode: 'analog' })).rejects.toMatchObject({
      name: 'SdbpError',
      reason: 'invalid mode',
    })
  })
})
