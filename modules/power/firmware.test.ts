import { describe, expect, it } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { bareModule, LENGTH_REJECTED } from '../../packages/twin/src/module/bare-module.testkit.ts'
import { bmcFirmware } from '../bmc/firmware.ts'
import { barePowerModule } from './bare-power-module.testkit.ts'
import { powerFirmware } from './firmware.ts'
import { powerLimits } from './limits.ts'
import * as wire from './wire.ts'

/** Approximate draw of an idle io module from 3V3, in mA. */
const IO_IDLE_3V3 = 90
const MAX_IO_MODULES = 6

describe('the power module on its board', () => {
  it('allows the idle draw of a full device at the lowest limits that can be set', async () => {
    const { board, clock, setLimits, counters, load, stats } = barePowerModule()
    bareModule(bmcFirmware, { slot: 0, clock, board })
    load({ '3v3': MAX_IO_MODULES * IO_IDLE_3V3 })
    setLimits(powerLimits.limit_3v3.min, powerLimits.limit_5v0.min, powerLimits.limit_12v.min)
    await clock.advance(60_000)
    expect(counters().sum).toBe(0)
    const { current_3v3, current_5v0, current_12v } = stats()
    expect(current_3v3).toBeLessThan(powerLimits.limit_3v3.min)
    expect(current_5v0).toBeLessThan(powerLimits.limit_5v0.min)
    expect(current_12v).toBeLessThan(powerLimits.limit_12v.min)
  })

  it('draws nothing, keeps no timer and receives nothing without supply', async () => {
    const { firmware, board, clock, load, ask } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 100 })
    load({ '12v': 2400, '5v0': 6000 })
    await clock.advance(100)
    firmware.powerDown()
    expect([board.rails.isOn('12v'), board.rails.current('3v3'), clock.pending]).toEqual([true, 0, 0])
    load({ '12v': 3000 })
    expect(clock.pending).toBe(0)
  })

  it('starts with the fan off after a loss of supply', async () => {
    const { firmware, clock, fan, counters, load, ask } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 100 })
    await clock.advance(20_000)
    firmware.powerDown()
    firmware.reset()
    expect(fan()).toEqual({ forced: false, currentMode: 0, settingMode: 0 })
    load({ '12v': 2400 })
    await clock.advance(100)
    expect(counters().ocp12v).toBe(1)
  })

  it('has a descriptor that is the same for the same seed', () => {
    const descriptor = barePowerModule().firmware.descriptor()
    expect(descriptor).toMatchObject({ vendorProductId: wire.POWER_VENDOR_PRODUCT_ID, productName: 'Virtual power supply' })
    expect(descriptor.serialCode).toMatch(/^0001(-[0-9A-F]{4}){7}$/)
    expect(barePowerModule().firmware.descriptor()).toEqual(descriptor)
    expect(barePowerModule({ seed: 2 }).firmware.descriptor().serialCode).not.toBe(descriptor.serialCode)
  })

  it('answers every command of the wire document', () => {
    const names = barePowerModule().firmware.handlers.map(({ command }) => command.name)
    expect(new Set(names)).toEqual(new Set(commandsIn(wire).map(({ name }) => name)))
    expect(powerFirmware.vendorProductId).toBe(wire.POWER_VENDOR_PRODUCT_ID)
  })

  it('rejects data of a wrong length', () => {
    const { raw } = barePowerModule()
    expect(raw(3, 1, 2, 0)).toEqual(LENGTH_REJECTED)
    expect(raw(3, 2, 4, 1)).toEqual(LENGTH_REJECTED)
  })
})
