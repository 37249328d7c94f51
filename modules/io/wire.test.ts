import { ByteReader, ByteWriter, MODULE_CLASS_IDENTIFIER } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandsIn, fromHex, toHex } from '../../packages/sdbp/src/hex.testkit.ts'
import { type CommandData, describeCommandProperties } from '../../packages/sdbp/src/properties.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import type { IoNotification, PinPower, PinReading } from './wire.ts'
import * as wire from './wire.ts'

const { ioNotification } = wire
const ioCommands = commandsIn(wire)

const pin = fc.integer({ min: 1, max: 6 })

const reading: fc.Arbitrary<PinReading> = fc.oneof(
  fc.record({
    pin,
    type: fc.constantFrom('voltageMillivolt' as const, 'currentMilliampere' as const),
    value: fc.nat({ max: 0xffff }),
  }),
  fc.record({ pin, type: fc.constant('digitalState' as const), value: fc.nat({ max: 1 }) }),
  fc.record({ pin, type: fc.constant('frequencyHertz' as const), value: fc.nat({ max: 0xffff_ffff }) }),
)
const readings: CommandData = { response: fc.record({ readings: fc.array(reading, { minLength: 6, maxLength: 6 }) }) }

const pinPower: fc.Arbitrary<PinPower> = fc.oneof(
  fc.record({ rail: fc.constant('5_volt' as const), currentMilliampere: fc.nat({ max: 300 }) }),
  fc.record({ rail: fc.constant('12_volt' as const), currentMilliampere: fc.nat({ max: 500 }) }),
)
const powerConfig: CommandData = { request: fc.record({ config: fc.array(pinPower, { minLength: 6, maxLength: 6 }) }) }

const data: Record<string, CommandData> = {
  SET_INPUT_MODE: { request: fc.record({ pin, mode: fc.constantFrom('analog', 'digital') }) },
  SET_ANALOG_THRESHOLD: {
    request: fc.record({
      pin,
      millivolt: fc.integer({ min: 50, max: 25_000 }),
      trigger: fc.constantFrom('disabled', 'rising', 'falling'),
    }),
  },
  SET_DIGITAL_INTERRUPT: {
    request: fc.record({
      pin,
      debounceMs: fc.nat({ max: 1000 }),
      trigger: fc.constantFrom('disabled', 'rising', 'falling', 'pulse'),
    }),
  },
  SET_DIGITAL_COUNTER: { request: fc.record({ pin, state: fc.constantFrom('disabled', 'enabled') }) },
  GET_VALUES: readings,
  GET_CURRENT_VALUES: readings,
  'SET_OUTPUT state': { request: fc.record({ pin, state: fc.constantFrom('low', 'high') }) },
  'SET_OUTPUT pwm': {
    request: fc.record({
      pin,
      prescaler: fc.nat({ max: 65_535 }),
      timeOn: fc.integer({ min: 1, max: 65_535 }),
      period: fc.integer({ min: 2, max: 65_536 }),
    }),
  },
  SET_POWER_CONFIG: powerConfig,
  TEST_POWER_CONFIG: powerConfig,
}

describe('io wire, golden bytes', () => {
  describeVectors(ioCommands, readVectors(new URL('./vectors.json', import.meta.url)))

  it('requires its exact vendor_product_id, and uses class identifier 3', () => {
    expect(wire.IO_VENDOR_PRODUCT_ID).toBe('modules.noreya.tech/io')
    expect(ioCommands.every(({ classIdentifier }) => classIdentifier === MODULE_CLASS_IDENTIFIER && classIdentifier === 3)).toBe(
      true,
    )
  })
})

describe('io wire, properties', () => {
  describeCommandProperties(ioCommands, data)
})

describe('io notification bytes', () => {
  const none: IoNotification = { customVoltageAlert: 0, highCurrentAlert: 0, underVoltageAlert: 0, highVoltageAlert: 0 }
  const cases: [string, string, IoNotification][] = [
    ['custom voltage alert on pin 1: bit 0 of byte 0', '01 00 00 00', { ...none, customVoltageAlert: 1 }],
    ['high current alert on pin 2: bit 1 of byte 1', '00 02 00 00', { ...none, highCurrentAlert: 2 }],
    ['under voltage alert on pin 5: bit 4 of byte 2', '00 00 10 00', { ...none, underVoltageAlert: 16 }],
    ['high voltage alert on pin 6: bit 5 of byte 3', '00 00 00 20', { ...none, highVoltageAlert: 32 }],
    [
      'all on all pins',
      '3F 3F 3F 3F',
      { customVoltageAlert: 63, highCurrentAlert: 63, underVoltageAlert: 63, highVoltageAlert: 63 },
    ],
  ]

  it.each(cases)('%s', (_, hex, masks) => {
    const writer = new ByteWriter()
    ioNotification.write(writer, masks, '')
    expect(toHex(writer.finish())).toBe(hex)
    expect(ioNotification.read(new ByteReader(fromHex(hex)), '')).toEqual(masks)
  })
})
