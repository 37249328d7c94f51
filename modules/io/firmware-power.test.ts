import { type AnyCommand, SdbpError } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { BareIoModule, powered } from './firmware.testkit.ts'
import type { PinPower } from './limits.ts'
import * as wire from './wire.ts'

const five = (milliampere: number): PinPower => ({ rail: '5_volt', current_milliampere: milliampere })
const twelve = (milliampere: number): PinPower => ({ rail: '12_volt', current_milliampere: milliampere })

describe('the descriptor', () => {
  it('identifies the module, within the bounds of a host', () => {
    const descriptor = new BareIoModule(3).firmware.descriptor()
    expect(descriptor).toMatchObject({
      vendorProductId: 'modules.noreya.tech/io',
      vendorName: 'Slotwire',
      productName: 'Virtual IO module',
      firmware: { stability: 'S', version: { major: 1, minor: 0, patch: 0 } },
      hardwareVersion: { major: 1, minor: 0, patch: 0 },
      protocolVersion: { major: 1, minor: 0, patch: 0 },
      bootloaderState: 'supported',
    })
    expect(descriptor.maxFrameSize).toBeGreaterThanOrEqual(64)
    expect(descriptor.maxFrameSize).toBeLessThanOrEqual(4096)
    expect(descriptor.maxSclkSpeedKhz).toBeGreaterThanOrEqual(16_000)
  })

  it('has a different serial code in every slot, the same after a restart', () => {
    const [third, fifth, again] = [3, 5, 5].map((slot) => new BareIoModule(slot).firmware.descriptor().serialCode)
    expect(third).toMatch(/^([0-9A-F]{4}-){7}[0-9A-F]{4}$/)
    expect(fifth).not.toBe(third)
    expect(again).toBe(fifth)
  })

  it('has no power for pins before they are configured, and after a reset', () => {
    const io = new BareIoModule()
    const initial = io.firmware.descriptor()
    expect([initial.maxPower5v0, initial.maxPower12v]).toEqual([0, 0])
    expect(initial.maxPower3v3).toBeGreaterThanOrEqual(io.rails.current('3v3') * 3.3)
    io.power(300)
    io.firmware.reset()
    expect(io.firmware.descriptor()).toEqual(initial)
  })

  it('has the power of its configuration: a pin with 0 mA counts its base', () => {
    const io = new BareIoModule()
    io.send(wire.setPowerConfig, { config: [five(300), five(1), five(0), twelve(500), twelve(1), twelve(0)] })
    const { maxPower5v0, maxPower12v } = io.firmware.descriptor()
    expect(maxPower5v0).toBe(1500 + 200 + 5 + 200 + 200 + 3 * 400)
    expect(maxPower12v).toBe(6000 + 12)
  })

  it('stays below 65536 mW with the largest configurations', () => {
    const io = powered(500, '12_volt')
    expect(io.firmware.descriptor().maxPower12v).toBe(36_000)
    io.power(300, '5_volt')
    expect(io.firmware.descriptor().maxPower5v0).toBe(10_200)
  })
})

describe('SET_POWER_CONFIG and TEST_POWER_CONFIG', () => {
  it('accept every encodable configuration, and a test changes nothing', () => {
    const config = [five(300), five(0), twelve(500), twelve(0), five(1), five(1)]
    const io = new BareIoModule()
    expect(io.statusOf(wire.testPowerConfig, { config })).toBe(0)
    expect(io.firmware.descriptor().maxPower5v0).toBe(0)
    expect(io.statusOf(wire.setOutputState, { pin: 1, state: 'high' })).toBe(wire.OutputStatus.powerConfigurationMissing)
    expect(io.statusOf(wire.setPowerConfig, { config })).toBe(0)
    expect(io.firmware.descriptor().maxPower5v0).toBeGreaterThan(0)
    expect(io.statusOf(wire.setOutputState, { pin: 1, state: 'high' })).toBe(0)
  })

  it('set a limit for each pin separately', () => {
    const io = new BareIoModule()
    io.send(wire.setPowerConfig, { config: [five(300), five(0), twelve(1), five(1), five(1), five(1)] })
    expect(io.statusOf(wire.setOutputState, { pin: 1, state: 'high' })).toBe(0)
    expect(io.statusOf(wire.setOutputState, { pin: 2, state: 'high' })).toBe(wire.OutputStatus.powerConfigurationMissing)
    expect(io.statusOf(wire.setOutputState, { pin: 3, state: 'high' })).toBe(0)
    expect(io.value(3)).toEqual(['voltage_millivolt', 12_050])
  })

  it('remove the supply from driven pins, which become analog, and do not change others', () => {
    const io = powered()
    io.output(1, 'high')
    io.mode(2, 'digital')
    io.power(100, '12_volt')
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    expect(io.value(2)).toEqual(['digital_input', 0])
    io.output(1, 'high')
    expect(io.value(1)).toEqual(['voltage_millivolt', 12_050])
  })
})

describe('the status for an undecodable request', () => {
  const { firmware } = new BareIoModule()
  const status = (command: unknown, error: SdbpError) => firmware.statusOfInvalid?.(command as AnyCommand, error)

  it.each([
    [wire.setInputMode, 'pin', wire.InputStatus.pinOutOfRange],
    [wire.setInputMode, 'mode', wire.InputStatus.invalidMode],
    [wire.setAnalogThreshold, 'millivolt', wire.InputStatus.invalidValue],
    [wire.setAnalogThreshold, 'trigger', wire.InputStatus.invalidDirection],
    [wire.setDigitalInterrupt, 'debounceMs', wire.InputStatus.invalidValue],
    [wire.setDigitalCounter, 'state', wire.InputStatus.invalidValue],
    [wire.setOutputState, 'pin', wire.OutputStatus.pinOutOfRange],
    [wire.setOutputState, 'mode', wire.OutputStatus.invalidMode],
    [wire.setOutputState, 'state', wire.OutputStatus.invalidValue],
    [wire.setOutputPwm, 'period', wire.OutputStatus.invalidValue],
    [wire.setPowerConfig, 'config[3].rail', wire.PowerStatus.invalidRail],
    [wire.setPowerConfig, 'config[0].current_milliampere', wire.PowerStatus.invalidValue],
    [wire.getValues, 'unknown', 1],
  ])('depends on the class and the invalid field: %o, %s: %i', (command, field, expected) =>
    expect(status(command, new SdbpError('value', 'does not fit', field))).toBe(expected),
  )

  it('is 2 for a wrong length', () => {
    expect(status(wire.getValues, new SdbpError('length', '1 byte too many'))).toBe(2)
    expect(status(wire.getValues, new SdbpError('truncated', '1 byte expected'))).toBe(2)
  })
})
