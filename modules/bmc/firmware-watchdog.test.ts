import { VolatileMemory } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { bareModule, FullMemory } from '../../packages/twin/src/module/bare-module.testkit.ts'
import { bmcFirmware } from './firmware.ts'
import { DEFAULT_SHUTDOWN_TIMEOUT_MS } from './limits.ts'
import * as wire from './wire.ts'

function watchdogBench(memory = new VolatileMemory()) {
  const bench = bareModule(bmcFirmware, { slot: 0, memory })
  const { ask } = bench
  return {
    ...bench,
    enable: (milliseconds: number) => ask(wire.enableTimeout, { milliseconds }),
    timeout: () => ask(wire.getTimeout, {}).milliseconds,
    left: () => ask(wire.getTimeLeft, {}).milliseconds,
    shutdownTimeout: () => ask(wire.getShutdownTimeout, {}).milliseconds,
  }
}

describe('BMC watchdog, disabled', () => {
  it('is the initial state: timeout and time left are 0', async () => {
    const { timeout, left, clock, restarts } = watchdogBench()
    await clock.advance(3_600_000)
    expect([timeout(), left(), restarts]).toEqual([0, 0, []])
  })

  it('becomes enabled by a timeout and resets the device exactly when that expires', async () => {
    const { enable, timeout, left, clock, restarts } = watchdogBench()
    enable(1000)
    expect([timeout(), left()]).toEqual([1000, 1000])
    await clock.advance(999.5)
    expect(left()).toBe(1)
    expect(restarts).toEqual([])
    await clock.advance(0.5)
    expect(restarts).toEqual([{ reason: 'the watchdog expired', atMs: 1000 }])
  })

  it('answers ALIVE with wrong state', () => {
    const { ask, refusal } = watchdogBench()
    expect(refusal(() => ask(wire.alive, {}))).toBe(wire.BmcStatus.wrongState)
  })

  it.each([0, 999, 600_001])('answers ENABLE_TIMEOUT with %d ms with out of range, and stays disabled', (milliseconds) => {
    const { raw, timeout } = watchdogBench()
    const bytes = [milliseconds >>> 24, (milliseconds >>> 16) & 255, (milliseconds >>> 8) & 255, milliseconds & 255]
    expect([...raw(3, 3, 2, ...bytes)]).toEqual([3, 3, 2, wire.BmcStatus.outOfRange])
    expect(timeout()).toBe(0)
  })

  it.each([1000, 600_000])('accepts the bound of %d ms', (milliseconds) => {
    const { enable, timeout } = watchdogBench()
    enable(milliseconds)
    expect(timeout()).toBe(milliseconds)
  })
})

describe('BMC watchdog, enabled', () => {
  it('restarts its countdown at each ALIVE', async () => {
    const { enable, ask, left, clock, restarts } = watchdogBench()
    enable(5000)
    for (let time = 0; time < 10; time++) {
      await clock.advance(4000)
      expect(left()).toBe(1000)
      ask(wire.alive, {})
      expect(left()).toBe(5000)
    }
    await clock.advance(5000)
    expect(restarts).toMatchObject([{ atMs: 45_000 }])
  })

  it('restarts its countdown with a new timeout', async () => {
    const { enable, left, clock, restarts } = watchdogBench()
    enable(1000)
    await clock.advance(900)
    enable(2000)
    expect(left()).toBe(2000)
    await clock.advance(2000)
    expect(restarts).toMatchObject([{ atMs: 2900 }])
  })

  it('is disabled by DISABLE_TIMEOUT', async () => {
    const { enable, ask, timeout, left, clock, restarts } = watchdogBench()
    enable(1000)
    ask(wire.disableTimeout, {})
    expect([timeout(), left()]).toEqual([0, 0])
    await clock.advance(10_000)
    expect(restarts).toEqual([])
  })
})

describe('BMC watchdog at a device reset', () => {
  it('is disabled if the configuration was not saved', async () => {
    const { enable, firmware, timeout, clock, restarts } = watchdogBench()
    enable(1000)
    firmware.reset()
    expect(timeout()).toBe(0)
    await clock.advance(10_000)
    expect(restarts).toEqual([])
  })

  it('is active again with the timeout that SAVE_CONFIG stored, counting from the start', async () => {
    const { enable, ask, firmware, timeout, left, clock } = watchdogBench()
    enable(60_000)
    ask(wire.saveConfig, {})
    enable(90_000)
    await clock.advance(5000)
    firmware.reset()
    expect([timeout(), left()]).toEqual([60_000, 60_000])
  })

  it('is active again in a device that was off meanwhile', async () => {
    const { enable, ask, firmware, memory, clock, restarts } = watchdogBench()
    enable(60_000)
    ask(wire.saveConfig, {})
    firmware.powerDown()
    expect(clock.pending).toBe(0)
    const next = watchdogBench(memory)
    expect(next.timeout()).toBe(60_000)
    await next.clock.advance(60_000)
    expect(next.restarts).toHaveLength(1)
    expect(restarts).toEqual([])
  })

  it('is off again if 0 was saved', () => {
    const { enable, ask, firmware, timeout } = watchdogBench()
    enable(60_000)
    ask(wire.saveConfig, {})
    ask(wire.disableTimeout, {})
    ask(wire.saveConfig, {})
    firmware.reset()
    expect(timeout()).toBe(0)
  })

  it('loses a timeout that could not be saved: SAVE_CONFIG answers failed', () => {
    const { enable, ask, refusal, firmware, timeout } = watchdogBench(new FullMemory())
    enable(60_000)
    expect(refusal(() => ask(wire.saveConfig, {}))).toBe(wire.BmcStatus.failed)
    expect(timeout()).toBe(60_000)
    firmware.reset()
    expect(timeout()).toBe(0)
  })
})

describe('BMC shutdown', () => {
  it.each(['software', 'switch'])('through %s resets the device after the shutdown timeout', async (by) => {
    const { ask, firmware, clock, restarts } = watchdogBench()
    if (by === 'switch') firmware.actions.shutdown_switch()
    else ask(wire.softwareShutdown, {})
    expect(firmware.watchdog.shutdownRunning).toBe(true)
    await clock.advance(DEFAULT_SHUTDOWN_TIMEOUT_MS - 1)
    expect(restarts).toEqual([])
    await clock.advance(1)
    expect(restarts).toEqual([{ reason: 'the shutdown ended', atMs: DEFAULT_SHUTDOWN_TIMEOUT_MS }])
  })

  it('is not prolonged by a second request or another timeout', async () => {
    const { ask, clock, restarts } = watchdogBench()
    ask(wire.softwareShutdown, {})
    await clock.advance(50_000)
    ask(wire.softwareShutdown, {})
    ask(wire.setShutdownTimeout, { milliseconds: 600_000 })
    await clock.advance(10_000)
    expect(restarts).toMatchObject([{ atMs: 60_000 }])
  })

  it('is stopped by a reset', async () => {
    const { ask, firmware, clock, restarts } = watchdogBench()
    ask(wire.softwareShutdown, {})
    firmware.reset()
    await clock.advance(100_000)
    expect(restarts).toEqual([])
  })

  it('always saves its timeout', () => {
    const { ask, firmware, memory, shutdownTimeout } = watchdogBench()
    expect(shutdownTimeout()).toBe(60_000)
    ask(wire.setShutdownTimeout, { milliseconds: 10_000 })
    firmware.reset()
    expect(shutdownTimeout()).toBe(10_000)
    expect(watchdogBench(memory).shutdownTimeout()).toBe(10_000)
  })

  it('keeps the old timeout if the new one cannot be saved', () => {
    const { ask, refusal, shutdownTimeout } = watchdogBench(new FullMemory())
    expect(refusal(() => ask(wire.setShutdownTimeout, { milliseconds: 10_000 }))).toBe(wire.BmcStatus.failed)
    expect(shutdownTimeout()).toBe(60_000)
  })

  it.each([9999, 600_001])('refuses a timeout of %d ms: out of range', (milliseconds) => {
    const { raw, shutdownTimeout } = watchdogBench()
    const bytes = [milliseconds >>> 24, (milliseconds >>> 16) & 255, (milliseconds >>> 8) & 255, milliseconds & 255]
    expect([...raw(3, 3, 8, ...bytes)]).toEqual([3, 3, 8, wire.BmcStatus.outOfRange])
    expect(shutdownTimeout()).toBe(60_000)
  })
})

it('SYSTEM_RESET of the bmc resets the whole device', () => {
  const { firmware, restarts } = watchdogBench()
  firmware.systemReset?.()
  expect(restarts).toHaveLength(1)
})
