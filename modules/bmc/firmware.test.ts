import { DEFAULT_LOAD_WATT, VolatileMemory } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { bareModule, FullMemory, LENGTH_REJECTED, UnreadableMemory } from '../../packages/twin/src/module/bare-module.testkit.ts'
import { bmcFirmware, MAX_BUZZER_NOTES } from './firmware.ts'
import { BOOTLOADER_WINDOW_MS } from './limits.ts'
import * as wire from './wire.ts'

function bmcBench(memory = new VolatileMemory()) {
  const bench = bareModule(bmcFirmware, { slot: 0, memory })
  const { ask } = bench
  const microvolt = (input: 'ntc0' | 'ntc1' | 'rail1v8' | 'rtcBattery') => ask(wire.getVoltage, { input }).microvolt
  return {
    ...bench,
    microvolt,
    celsius: (input: 'ntc0' | 'ntc1') => celsiusOf(microvolt(input)),
    play: (mode: number, milliseconds: number) => ask(wire.modeBuzzer, { mode, milliseconds }),
    emergency: () => ask(wire.getEmergencyMode, {}).emergency,
  }
}

/** The formula of the wire document, with its rounding. */
function celsiusOf(microvolt: number): number {
  const volt = microvolt / 1e6
  const ohm = (3.3 - volt) / (volt / 10_000)
  return Number((1 / (1 / 298.15 + Math.log(ohm / 10_000) / 3380) - 273.15).toFixed(3))
}

describe('GET_VOLTAGE', () => {
  it('returns the typical readings at the default load', () => {
    const { celsius, microvolt } = bmcBench()
    expect(celsius('ntc0')).toBe(38.703)
    expect(celsius('ntc1')).toBe(29.587)
    expect(microvolt('rail1v8')).toBe(1_788_000)
    expect(microvolt('rtcBattery')).toBe(2_949_000)
  })

  it('follows the load of the computer, near the SoC faster than on the board', async () => {
    const { celsius, board, clock } = bmcBench()
    board.computer.loadWatt = 3 * DEFAULT_LOAD_WATT
    expect(celsius('ntc0')).toBe(38.703)
    await clock.advance(30_000)
    expect(celsius('ntc0')).toBeGreaterThan(50)
    expect(celsius('ntc1')).toBeLessThan(32)
    await clock.advance(3_600_000)
    expect(celsius('ntc0')).toBeCloseTo(25 + 3 * 13.703, 2)
    expect(celsius('ntc1')).toBeCloseTo(25 + 3 * 4.587, 2)
  })

  it('follows the ambient temperature', async () => {
    const { celsius, board, clock } = bmcBench()
    board.computer.ambientCelsius = -10
    await clock.advance(3_600_000)
    expect(celsius('ntc0')).toBeCloseTo(3.703, 2)
    expect(celsius('ntc1')).toBeCloseTo(-5.413, 2)
  })

  it('refuses an input that does not exist', () =>
    expect([...bmcBench().raw(3, 1, 2, 5)]).toEqual([3, 1, 2, wire.BmcStatus.outOfRange]))
})

describe('MODE_BUZZER', () => {
  it.each([2, 3, 4, 5])('plays a sound for its duration in mode %d', async (mode) => {
    const { play, firmware, clock } = bmcBench()
    await clock.advance(10)
    play(mode, 250)
    expect(firmware.buzzer.playing).toEqual({ sound: mode - 1, startMs: 10, endMs: 260 })
    await clock.advance(250)
    expect(firmware.buzzer.playing).toBeUndefined()
  })

  it('only switches the internal sounds in modes 0 and 1', () => {
    const { play, firmware } = bmcBench()
    play(0, 1)
    expect(firmware.buzzer.internalSounds).toBe(false)
    play(1, 1)
    expect(firmware.buzzer.internalSounds).toBe(true)
    expect(firmware.buzzer.record).toEqual([])
  })

  it('replaces a playing sound by the new one, and is silent after a reset', async () => {
    const { play, firmware, clock } = bmcBench()
    play(2, 1000)
    await clock.advance(100)
    play(3, 1000)
    await clock.advance(100)
    firmware.reset()
    expect(firmware.buzzer.playing).toBeUndefined()
    expect(firmware.buzzer.record).toEqual([
      { sound: 1, startMs: 0, endMs: 100 },
      { sound: 2, startMs: 100, endMs: 200 },
    ])
  })

  it('records played sounds for an observer of the device', () => {
    const { play, firmware } = bmcBench()
    play(0, 1)
    play(4, 250)
    expect(firmware.observations?.['buzzer']?.()).toEqual({
      internal_sounds: false,
      played: [{ sound: 3, startMs: 0, endMs: 250 }],
    })
  })

  it('drops the oldest of many recorded sounds', () => {
    const { play, firmware } = bmcBench()
    for (let time = 1; time <= MAX_BUZZER_NOTES + 1; time++) play(5, 1)
    expect(firmware.buzzer.record).toHaveLength(MAX_BUZZER_NOTES)
  })

  it.each([
    [2, 0],
    [2, 1001],
    [6, 100],
  ])('answers mode %d for %d ms with out of range', (mode, milliseconds) => {
    const { raw, firmware } = bmcBench()
    expect([...raw(3, 5, 2, mode, 0, 0, milliseconds >> 8, milliseconds & 255)]).toEqual([3, 5, 2, wire.BmcStatus.outOfRange])
    expect(firmware.buzzer.record).toEqual([])
  })
})

describe('CTL_USBBOOT', () => {
  it('arms the bootloader of the computer for its window, and disarms it', () => {
    const { ask, board } = bmcBench()
    ask(wire.controlUsbBoot, { enabled: true, milliseconds: 3_600_000 })
    expect(board.computer.armedBootloader).toEqual({ windowMs: BOOTLOADER_WINDOW_MS, timeoutMs: 3_600_000 })
    ask(wire.controlUsbBoot, { enabled: false, milliseconds: 5 })
    expect(board.computer.armedBootloader).toBeUndefined()
  })

  it('is disarmed by a reset, but not by the loss of supply during the restart', () => {
    const { ask, board, firmware } = bmcBench()
    ask(wire.controlUsbBoot, { enabled: true, milliseconds: 0 })
    firmware.powerDown()
    expect(board.computer.armedBootloader).toBeDefined()
    firmware.reset()
    expect(board.computer.armedBootloader).toBeUndefined()
  })

  it('refuses more than an hour', () => {
    const { raw, board } = bmcBench()
    expect([...raw(3, 4, 2, 1, 0x00, 0x36, 0xee, 0x81)]).toEqual([3, 4, 2, wire.BmcStatus.outOfRange])
    expect(board.computer.armedBootloader).toBeUndefined()
  })
})

describe('emergency mode', () => {
  type Ask = ReturnType<typeof bmcBench>['ask']
  const writes: readonly (readonly [name: string, write: (ask: Ask) => void])[] = [
    ['SAVE_CONFIG', (ask) => ask(wire.saveConfig, {})],
    ['SET_SHUTDOWN_TIMEOUT', (ask) => ask(wire.setShutdownTimeout, { milliseconds: 20_000 })],
    ['SET_HUB_STATE', (ask) => ask(wire.setHubState, { enabled: false })],
    ['SET_USB_SLOT_STATE', (ask) => ask(wire.setUsbSlotState, { slot: 2, enabled: false })],
  ]

  function corruptBench() {
    const memory = new VolatileMemory()
    memory.save({ watchdogTimeoutMs: 5000, usbHubEnabled: false })
    memory.corrupt('flipped bits')
    return bmcBench(memory)
  }

  it('is off while the memory is valid', () => expect(bmcBench().emergency()).toBe(false))

  it('is on when the memory is corrupt, with the default settings', () => {
    const { emergency, ask } = corruptBench()
    expect(emergency()).toBe(true)
    expect(ask(wire.getTimeout, {}).milliseconds).toBe(0)
    expect(ask(wire.getShutdownTimeout, {}).milliseconds).toBe(60_000)
    expect(ask(wire.getHubState, {}).state).toBe('enabled')
  })

  it.each(writes)('refuses %s with flash protected, and does not change the memory', (_, write) => {
    const { ask, refusal, memory } = corruptBench()
    expect(refusal(() => write(ask))).toBe(wire.BmcStatus.flashProtected)
    expect(memory.load().state).toBe('corrupt')
  })

  it('begins when a write finds the memory corrupt', () => {
    const { memory, ask, refusal, emergency } = bmcBench()
    memory.corrupt('worn out')
    expect(refusal(() => ask(wire.setHubState, { enabled: false }))).toBe(wire.BmcStatus.flashProtected)
    expect(emergency()).toBe(true)
  })

  it('still allows functions that save nothing', () => {
    const { ask } = corruptBench()
    ask(wire.enableTimeout, { milliseconds: 1000 })
    ask(wire.alive, {})
    expect(ask(wire.getTimeLeft, {}).milliseconds).toBe(1000)
  })

  it('ends with a factory reset', () => {
    const { firmware, emergency, ask, memory } = corruptBench()
    firmware.factoryReset?.()
    expect(emergency()).toBe(false)
    ask(wire.setHubState, { enabled: false })
    expect(memory.load()).toMatchObject({ state: 'ok', document: { usbHubEnabled: false } })
  })

  it('is on while the memory could not be read since the start, and ends when it can: nothing is overwritten', () => {
    const memory = new UnreadableMemory()
    memory.save({ watchdogTimeoutMs: 5000 })
    const { emergency, ask, refusal } = bmcBench(memory)
    expect(emergency()).toBe(true)
    expect(refusal(() => ask(wire.setHubState, { enabled: false }))).toBe(wire.BmcStatus.flashProtected)
    memory.isUnreadable = false
    expect(emergency()).toBe(false)
    ask(wire.setHubState, { enabled: false })
    expect(memory.load()).toMatchObject({ document: { watchdogTimeoutMs: 5000, usbHubEnabled: false } })
  })

  it('stays off when a memory that was read cannot be read again: saving fails, and nothing is overwritten', () => {
    const memory = new UnreadableMemory()
    memory.isUnreadable = false
    memory.save({ watchdogTimeoutMs: 5000, shutdownTimeoutMs: 20_000 })
    const { emergency, ask, refusal, firmware } = bmcBench(memory)
    memory.isUnreadable = true
    expect(refusal(() => ask(wire.setHubState, { enabled: false }))).toBe(wire.BmcStatus.failed)
    firmware.reset()
    expect(emergency()).toBe(false)
    expect(ask(wire.getShutdownTimeout, {}).milliseconds).toBe(20_000)
    memory.isUnreadable = false
    expect(memory.load()).toMatchObject({ document: { watchdogTimeoutMs: 5000 } })
  })

  it.each([
    { watchdogTimeoutMs: 999 },
    { watchdogTimeoutMs: '1000' },
    { shutdownTimeoutMs: 9999 },
    { usbHubEnabled: 1 },
    { disabledUsbSlots: [1] },
    { disabledUsbSlots: 'none' },
  ])('treats a document that no bmc wrote as corrupt: %j', (document) => {
    const memory = new VolatileMemory()
    memory.save(document)
    expect(bmcBench(memory).emergency()).toBe(true)
  })
})

describe('FACTORY_RESET of the bmc', () => {
  it('erases the saved settings', () => {
    const { ask, firmware } = bmcBench()
    ask(wire.enableTimeout, { milliseconds: 600_000 })
    ask(wire.saveConfig, {})
    ask(wire.setShutdownTimeout, { milliseconds: 20_000 })
    firmware.factoryReset?.()
    firmware.reset()
    expect(ask(wire.getTimeout, {}).milliseconds).toBe(0)
    expect(ask(wire.getShutdownTimeout, {}).milliseconds).toBe(60_000)
  })

  it('fails when the memory cannot be cleared', () => {
    const { firmware } = bmcBench(new FullMemory())
    expect(() => firmware.factoryReset?.()).toThrow(`status ${wire.BmcStatus.failed}`)
  })
})

describe('the bmc on its board', () => {
  it('draws no current and keeps no timer without supply', () => {
    const { firmware, board, clock, ask } = bmcBench()
    ask(wire.enableTimeout, { milliseconds: 1000 })
    firmware.actions.shutdown_switch()
    expect(board.rails.current('5v0')).toBeGreaterThan(0)
    firmware.powerDown()
    expect([board.rails.current('3v3'), board.rails.current('5v0'), clock.pending]).toEqual([0, 0, 0])
  })

  it('has a descriptor within the bounds of the wire document, the same for the same seed', () => {
    const descriptor = bmcBench().firmware.descriptor()
    expect(descriptor).toMatchObject({
      vendorProductId: wire.BMC_VENDOR_PRODUCT_ID,
      vendorName: 'Slotwire',
      bootloaderState: 'supported',
    })
    expect(descriptor.serialCode).toMatch(/^0000(-[0-9A-F]{4}){7}$/)
    expect(bmcBench().firmware.descriptor()).toEqual(descriptor)
    expect(bareModule(bmcFirmware, { slot: 0, seed: 2 }).firmware.descriptor().serialCode).not.toBe(descriptor.serialCode)
  })

  it('answers every command of the wire document', () => {
    const { firmware } = bmcBench()
    expect(new Set(firmware.handlers.map(({ command }) => command.name))).toEqual(
      new Set(commandsIn(wire).map(({ name }) => name)),
    )
  })

  it('rejects data of a wrong length', () => {
    const { raw } = bmcBench()
    expect(raw(3, 2, 2, 0)).toEqual(LENGTH_REJECTED)
    expect([...raw(3, 3, 2, 0)]).toEqual([3, 3, 2, wire.BmcStatus.failed])
  })
})
