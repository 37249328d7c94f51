import { MODULE_CLASS_IDENTIFIER } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { type CommandData, describeCommandProperties } from '../../packages/sdbp/src/properties.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import * as wire from './wire.ts'

const bmcCommands = commandsIn(wire)

const u8 = fc.nat({ max: 0xff })
const u32 = fc.nat({ max: 0xffff_ffff })
const hubState: fc.Arbitrary<wire.HubState> = fc.constantFrom('enabled', 'disabled', 'not available')
const enabled = fc.boolean()
const between = (min: number, max: number) => fc.integer({ min, max })
const time: CommandData = { response: fc.record({ milliseconds: u32 }) }

const data: Record<string, CommandData> = {
  GET_VOLTAGE: {
    request: fc.record({ input: fc.constantFrom('ntc0', 'rail1v8', 'rtcBattery', 'ntc1') }),
    response: fc.record({ microvolt: u32 }),
  },
  GET_HUB_STATE: { response: fc.record({ state: hubState }) },
  SET_HUB_STATE: { request: fc.record({ enabled }) },
  GET_USB_SLOT_STATE: { response: fc.record({ states: fc.array(hubState, { minLength: 8, maxLength: 8 }) }) },
  SET_USB_SLOT_STATE: { request: fc.record({ enabled, slot: between(2, 7) }) },
  GET_PORT_MAPPING: { response: fc.record({ ports: fc.array(u8, { minLength: 8, maxLength: 8 }) }) },
  ENABLE_TIMEOUT: { request: fc.record({ milliseconds: between(1000, 600_000) }) },
  GET_TIMEOUT: time,
  GET_TIME_LEFT: time,
  SET_SHUTDOWN_TIMEOUT: { request: fc.record({ milliseconds: between(10_000, 600_000) }) },
  GET_SHUTDOWN_TIMEOUT: time,
  EMERGENCY_MODE_STATE: { response: fc.record({ emergency: fc.boolean() }) },
  CTL_USBBOOT: { request: fc.record({ enabled, milliseconds: between(0, 3_600_000) }) },
  MODE_BUZZER: { request: fc.record({ mode: between(0, 5), milliseconds: between(1, 1000) }) },
}

describe('bmc wire, golden bytes', () => {
  describeVectors(bmcCommands, readVectors(new URL('./vectors.json', import.meta.url)))

  it('requires its exact vendor_product_id, and uses class identifier 3', () => {
    expect(wire.BMC_VENDOR_PRODUCT_ID).toBe('modules.noreya.tech/bmc')
    expect(bmcCommands.every(({ classIdentifier }) => classIdentifier === MODULE_CLASS_IDENTIFIER)).toBe(true)
  })

  it('does not repeat SW_SHUTDOWN after a failed exchange, but repeats all other commands', () =>
    expect(bmcCommands.filter(({ repeatable }) => !repeatable)).toEqual([wire.softwareShutdown]))
})

describe('bmc wire, properties', () => {
  describeCommandProperties(bmcCommands, data)
})
