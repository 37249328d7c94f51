import fc from 'fast-check'
import { describe } from 'vitest'
import { commandsIn } from './commands.testkit.ts'
import * as core from './core-commands.ts'
import type { CommandData } from './properties.testkit.ts'
import { describeCommandProperties } from './properties.testkit.ts'

const u16 = fc.nat({ max: 0xffff })
const u32 = fc.nat({ max: 0xffff_ffff })
const text = fc.stringMatching(/^[abcXYZ 0189./$&~-]{0,254}$/)
const part: CommandData = { response: fc.record({ part: fc.record({ last: fc.boolean(), text }) }) }
const version = { major: u16, minor: u16, patch: u16 }
const milliwatt: CommandData = { response: fc.record({ milliwatt: u32 }) }

const data: Record<string, CommandData> = {
  VENDOR_PRODUCT_ID: part,
  VENDOR_NAME: part,
  PRODUCT_NAME: part,
  SERIAL_CODE: { response: fc.record({ serial: fc.uint8Array({ minLength: 16, maxLength: 16 }) }) },
  FW_VERSION: { response: fc.record({ stability: fc.constantFrom('A', 'B', 'S'), ...version }) },
  HW_VERSION: { response: fc.record(version) },
  PROTOCOL_VERSION: { response: fc.record(version) },
  MAX_SCLK_SPEED: { response: fc.record({ kilohertz: u32 }) },
  MAX_FRAME_SIZE: { response: fc.record({ bytes: u16 }) },
  BOOTLOADER_STATE: { response: fc.record({ state: fc.constantFrom('not supported', 'supported', 'in bootloader mode') }) },
  MAX_POWER_3V3: milliwatt,
  MAX_POWER_5V0: milliwatt,
  MAX_POWER_12V: milliwatt,
  SET_FRAME_SIZE: { request: fc.record({ bytes: fc.integer({ min: 64, max: 4096 }) }) },
  SET_SCLK_SPEED: { request: fc.record({ kilohertz: fc.integer({ min: 100, max: 0xffff_ffff }) }) },
  WAIT: { response: fc.record({ microseconds: fc.integer({ min: 1000, max: 65_535_000 }) }) },
}

describe('core commands, properties', () => {
  describeCommandProperties(commandsIn(core), data)
})
