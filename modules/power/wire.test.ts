import { MODULE_CLASS_IDENTIFIER } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { type CommandData, describeCommandProperties } from '../../packages/sdbp/src/properties.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import { COUNTERS } from './firmware-counters.ts'
import { FAN_MODES } from './limits.ts'
import * as wire from './wire.ts'

const powerCommands = commandsIn(wire)

const percent = fc.nat({ max: 100 })
const u16 = fc.nat({ max: 0xffff })
const u32 = fc.nat({ max: 0xffff_ffff })
const mode = fc.constantFrom(...FAN_MODES)

const data: Record<string, CommandData> = {
  SOURCE: {
    response: fc.record({
      source3v3: u16,
      source5v0: u16,
      source12v: u16,
      sourceTotal: u16,
      efficiency3v3: percent,
      efficiency5v0: percent,
      efficiency12v: percent,
    }),
  },
  CURRENT_LIMIT: {
    request: fc.record({ limit3v3: u32, limit5v0: u32, limit12v: u32 }),
    response: fc.record({ taken3v3: fc.boolean(), taken5v0: fc.boolean(), taken12v: fc.boolean() }),
  },
  VOLTAGE_CURRENT_STATUS: {
    response: fc.record({
      voltage3v3: u16,
      voltage5v0: u16,
      voltage12v: u16,
      current3v3: u32,
      current5v0: u32,
      current12v: u32,
      limit3v3: u32,
      limit5v0: u32,
      limit12v: u32,
    }),
  },
  OPP_CNT_STATUS: { response: fc.record(Object.fromEntries(['sum', ...COUNTERS].map((counter) => [counter, u16]))) },
  TEMPERATURE_SENSOR: { response: fc.record({ onBoardMillivolt: u16, pmcRaw: u16 }) },
  FAN_STATUS: { response: fc.record({ forced: fc.boolean(), currentMode: mode, settingMode: mode }) },
  FAN_CONTROL: {
    request: fc.record({ forced: fc.boolean(), mode }),
    response: fc.record({ result: fc.constantFrom(...Object.values(wire.FanControlResult)) }),
  },
  FAN_RPM: { response: fc.record({ enabled: fc.boolean(), rpm: u16 }) },
  FAN_RPM_CONTROL: { request: fc.record({ enabled: fc.boolean() }), response: fc.record({ ok: fc.boolean() }) },
}

describe('power wire, golden bytes', () => {
  describeVectors(powerCommands, readVectors(new URL('./vectors.json', import.meta.url)))

  it('requires its exact vendor_product_id, and uses class identifier 3', () => {
    expect(wire.POWER_VENDOR_PRODUCT_ID).toBe('modules.noreya.tech/power')
    expect(powerCommands.every(({ classIdentifier }) => classIdentifier === MODULE_CLASS_IDENTIFIER)).toBe(true)
  })

  it('has no status byte in any reply', () => expect(powerCommands.every(({ statuses }) => statuses === undefined)).toBe(true))
})

describe('power wire, properties', () => {
  describeCommandProperties(powerCommands, data)
})
