import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackplaneState } from '@slotwire/core'
import { ManualClock, seededRandom } from '@slotwire/core'
import type { Command } from '@slotwire/sdbp'
import { decodeResponse, encodeRequest, factoryReset, modeRun, systemReset } from '@slotwire/sdbp'
import { Chassis, DEFAULT_RESTART_MS, FileMemory, reboot } from '@slotwire/twin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { powerFirmware } from '../power/firmware.ts'
import { getProtectionCounters } from '../power/wire.ts'
import { bmcFirmware } from './firmware.ts'
import { BOOTLOADER_WINDOW_MS } from './limits.ts'
import * as wire from './wire.ts'

/** The interval at which a host sends MODE_RUN. */
const HEARTBEAT_MS = 100
const SOON_MS = 200

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire-device-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A device with bmc and power module, switched on, with its memory in the test's folder. */
async function device() {
  const clock = new ManualClock()
  const memory = (slot: number) => new FileMemory(join(folder, `slot-${slot}.json`))
  const chassis = new Chassis({ clock, random: seededRandom(1), memory })
  chassis.plug(0, bmcFirmware)
  chassis.plug(1, powerFirmware)
  await chassis.powerOn()
  const states: [BackplaneState, number][] = []
  chassis.subscribe(({ type }) => {
    if (type === 'up' || type === 'restarting') states.push([type, Math.round(clock.now() / 100) * 100])
  })
  const ask = async <Request, Response>(
    slot: number,
    command: Command<Request, Response>,
    request: Request,
  ): Promise<Response> => {
    const link = await chassis.open(slot)
    return decodeResponse(command, await link.exchange(encodeRequest(command, request)))
  }
  /** Advances time with a host that keeps the modules running. */
  const live = async (ms: number): Promise<void> => {
    const end = clock.now() + ms
    for (;;) {
      for (const slot of chassis.present()) await ask(slot, modeRun, {})
      if (clock.now() >= end) return
      await clock.advance(Math.min(HEARTBEAT_MS, end - clock.now()))
    }
  }
  await live(0)
  await live(SOON_MS)
  return { clock, chassis, states, live, ask }
}

describe('a device with a bmc', () => {
  it('restarts when its watchdog expires, then has the watchdog off', async () => {
    const { ask, live, states, chassis } = await device()
    await ask(0, wire.enableTimeout, { milliseconds: 1000 })
    await live(1000 + SOON_MS)
    expect(chassis.state).toBe('restarting')
    await live(DEFAULT_RESTART_MS)
    expect(states.map(([state]) => state)).toEqual(['restarting', 'up'])
    expect(await ask(0, wire.getTimeout, {})).toEqual({ milliseconds: 0 })
  })

  it('stays up while the watchdog is fed', async () => {
    const { ask, live, states } = await device()
    await ask(0, wire.enableTimeout, { milliseconds: 1000 })
    for (let time = 0; time < 5; time++) {
      await live(900)
      await ask(0, wire.alive, {})
    }
    expect(states).toEqual([])
  })

  it('has a saved watchdog active in the next process, until a factory reset', async () => {
    const first = await device()
    await first.ask(0, wire.enableTimeout, { milliseconds: 600_000 })
    await first.ask(0, wire.saveConfig, {})
    const second = await device()
    expect(await second.ask(0, wire.getTimeout, {})).toEqual({ milliseconds: 600_000 })
    await second.ask(0, factoryReset, {})
    expect(await (await device()).ask(0, wire.getTimeout, {})).toEqual({ milliseconds: 0 })
  })

  it('keeps saved values in the next process: watchdog, shutdown timeout, USB settings, protection counters', async () => {
    const first = await device()
    await first.ask(0, wire.enableTimeout, { milliseconds: 500_000 })
    await first.ask(0, wire.saveConfig, {})
    await first.ask(0, wire.setShutdownTimeout, { milliseconds: 12_345 })
    await first.ask(0, wire.setHubState, { enabled: false })
    await first.ask(0, wire.setUsbSlotState, { slot: 6, enabled: false })
    first.chassis.rails.setVoltageOffset('12v', -1000)
    await first.live(SOON_MS)
    first.chassis.rails.setVoltageOffset('12v', 0)
    const { sum } = await first.ask(1, getProtectionCounters, {})
    // The first process ends abruptly: the next one has only its files.
    const { ask, live, chassis } = await device()
    const expectAll = async () => {
      expect(await ask(0, wire.getTimeout, {})).toEqual({ milliseconds: 500_000 })
      expect(await ask(0, wire.getShutdownTimeout, {})).toEqual({ milliseconds: 12_345 })
      expect(await ask(0, wire.getHubState, {})).toEqual({ state: 'disabled' })
      expect((await ask(0, wire.getUsbSlotState, {})).states[6]).toBe('disabled')
      expect(await ask(1, getProtectionCounters, {})).toMatchObject({ sum, uvp12v: 1 })
    }
    await expectAll()
    for (const slot of [0, 1]) chassis.faults.inject(slot, reboot())
    await live(1000)
    await expectAll()
    chassis.restart('a test asked for it')
    await live(DEFAULT_RESTART_MS + 1000)
    await expectAll()
  })

  it('waits 90 seconds for a USB host in its armed bootloader, then restarts to normal', async () => {
    const { ask, live, chassis, states, clock } = await device()
    await ask(0, wire.controlUsbBoot, { enabled: true, milliseconds: 60_000 })
    await ask(0, systemReset, {})
    await live(SOON_MS)
    const down = clock.now()
    await live(DEFAULT_RESTART_MS)
    expect([chassis.state, chassis.computer.bootloader?.state]).toEqual(['restarting', 'waiting for host'])
    await live(BOOTLOADER_WINDOW_MS + DEFAULT_RESTART_MS)
    expect(chassis.state).toBe('up')
    const up = states.at(-1)?.[1] ?? 0
    expect(Math.abs(up - down - BOOTLOADER_WINDOW_MS - 2 * DEFAULT_RESTART_MS)).toBeLessThanOrEqual(SOON_MS)
    expect(chassis.computer.armedBootloader).toBeUndefined()
  })

  it('serves a USB host in its bootloader for the configured time', async () => {
    const { ask, live, chassis } = await device()
    await ask(0, wire.controlUsbBoot, { enabled: true, milliseconds: 600_000 })
    await ask(0, systemReset, {})
    await live(DEFAULT_RESTART_MS + SOON_MS)
    chassis.computer.usbHostConnected = true
    await live(600_000 - SOON_MS)
    expect(chassis.computer.bootloader?.state).toBe('host connected')
    await live(SOON_MS + DEFAULT_RESTART_MS)
    expect(chassis.state).toBe('up')
  })

  it('restarts when the protection of its supply acts, and keeps the count', async () => {
    const { ask, live, chassis, states } = await device()
    chassis.rails.setVoltageOffset('5v0', 100)
    await live(SOON_MS)
    expect(chassis.state).toBe('restarting')
    chassis.rails.setVoltageOffset('5v0', 0)
    await live(DEFAULT_RESTART_MS)
    expect(states.map(([state]) => state)).toEqual(['restarting', 'up'])
    expect(await ask(1, getProtectionCounters, {})).toMatchObject({ ovp5v0: 1, sum: 1 })
    expect(await (await device()).ask(1, getProtectionCounters, {})).toMatchObject({ ovp5v0: 1, sum: 1 })
  })

  it('keeps no timer when it is switched off', async () => {
    const { ask, live, chassis, clock } = await device()
    await ask(0, wire.enableTimeout, { milliseconds: 1000 })
    await ask(0, wire.softwareShutdown, {})
    await live(SOON_MS)
    chassis.powerOff()
    expect(clock.pending).toBe(0)
  })
})
