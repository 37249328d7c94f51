import { join } from 'node:path'
import { ManualClock, seededRandom } from '@slotwire/core'
import type { Command } from '@slotwire/sdbp'
import { decodeResponse, encodeRequest, factoryReset, modeRun } from '@slotwire/sdbp'
import { Chassis, FileMemory, RESTART_MS, reboot } from '@slotwire/twin'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/temporary-folder.testkit.ts'
import { powerFirmware } from '../power/firmware.ts'
import { getProtectionCounters } from '../power/wire.ts'
import { bmcFirmware } from './firmware.ts'
import * as wire from './wire.ts'

/** The interval at which a host sends MODE_RUN. */
const HEARTBEAT_MS = 100
const SOON_MS = 200

let folder: string

beforeEach(() => (folder = temporaryFolder()))

/** A device with bmc and power module, switched on, with its memory in the test's folder. */
async function device() {
  const clock = new ManualClock()
  const memory = (slot: number) => new FileMemory(join(folder, `slot-${slot}.json`))
  const chassis = new Chassis({ clock, random: seededRandom(1), memory })
  chassis.plug(0, bmcFirmware)
  chassis.plug(1, powerFirmware)
  await chassis.powerOn()
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
  return { chassis, live, ask }
}

describe('a device with a bmc', () => {
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
    chassis.restartDevice('a test asked for it')
    await live(RESTART_MS + 1000)
    await expectAll()
  })
})
