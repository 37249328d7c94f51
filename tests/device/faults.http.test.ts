import {
  bootloader,
  corruptStorage,
  crcErrors,
  duplicatedFrames,
  endlessWait,
  type Fault,
  fullStorage,
  garbage,
  hang,
  lateFrames,
  lostFrames,
  memoryLoss,
  reboot,
  wrongClass,
} from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import * as firmwares from '../../modules/firmwares.ts'
import { type Answer, type Device, describeDevice } from './device.testkit.ts'

const FRESH = { 'cache-control': 'no-cache' }
/** Longest time of a failing request: four attempts of 250 ms, each perhaps after a heartbeat. */
const FAILED_WITHIN_MS = 2100
/** Time until a module that was given up is driven again: its last wait, and the pauses between the attempts. */
const BACK_WITHIN_MS = 8000
const REQUESTS = 40

/** The answer, and the time that it took on the device's clock. */
async function timed(device: Device, request: () => Promise<Answer>): Promise<{ status: number; ms: number; answer: Answer }> {
  const started = device.clock.now()
  let ended = 0
  const pending = request().finally(() => {
    ended = device.clock.now()
  })
  const answer = await device.until(pending)
  return { status: answer.status, ms: ended - started, answer }
}

const read = (device: Device, slot: number) => timed(device, () => device.get(`/api/io/1.0/${slot}/input/values`, FRESH))

async function statuses(device: Device, slot: number, count = REQUESTS): Promise<number[]> {
  const found: number[] = []
  for (let index = 0; index < count; index++) found.push((await read(device, slot)).status)
  return found
}

describeDevice('a fault that retries correct', (device) => {
  const corrected: readonly (readonly [name: string, fault: Fault])[] = [
    ['a few frames are lost', lostFrames({ share: 0.05 })],
    ['a tenth of the frames has a wrong bit', crcErrors({ share: 0.1 })],
    ['a few responses are 20 ms late', lateFrames({ share: 0.3, delayMs: 20 })],
    ['a few responses come twice', duplicatedFrames({ share: 0.05 })],
    ['a few responses name a wrong class', wrongClass({ share: 0.05 })],
    ['a few responses are garbage', garbage({ share: 0.05 })],
  ]
  it.each(corrected)('%s: every read succeeds, the other slot is not affected, and the session stays', async (_name, fault) => {
    const io = device.module('io', 3)
    const session = await io.session()
    device.chassis.faults.inject(3, fault)
    for (let round = 0; round < REQUESTS; round++) {
      const { status, ms } = await read(device, 3)
      expect([status, ms <= FAILED_WITHIN_MS]).toEqual([200, true])
      expect(await read(device, 5)).toMatchObject({ status: 200, ms: 0 })
    }
    expect(await io.session()).toBe(session)
  })
})

describeDevice('a fault that retries cannot correct', (device) => {
  const fatal: readonly (readonly [name: string, fault: Fault, message: string])[] = [
    ['all frames are lost', lostFrames({ share: 1 }), 'slot 3'],
    ['all frames have a wrong bit', crcErrors({ share: 1 }), 'did not answer'],
    ['all responses are five seconds late', lateFrames({ share: 1, delayMs: 5000 }), 'does not answer any more'],
    ['all responses name a wrong class', wrongClass({ share: 1 }), 'invalid response'],
    ['all responses are garbage', garbage({ share: 1 }), 'slot 3'],
    ['the module hangs', hang(), 'does not answer any more'],
    ['the module asks for more time forever', endlessWait({ waitMs: 2500 }), 'slot 3'],
  ]
  it.each(fatal)(
    '%s: responds in time with a 500 that names the slot, and delays no other slot',
    async (_name, fault, message) => {
      device.chassis.faults.inject(3, fault)
      const { status, ms, answer } = await read(device, 3)
      expect(status).toBe(500)
      expect(answer.body?.['message']).toContain(message)
      expect(ms).toBeLessThanOrEqual(FAILED_WITHIN_MS)
      expect(await read(device, 5)).toMatchObject({ status: 200, ms: 0 })
      expect(await timed(device, () => device.get('/api/bmc/1.0/0/voltage'))).toMatchObject({ status: 200, ms: 0 })
    },
  )

  it.each(fatal)('%s: serves the module again after the end', async (_name, fault) => {
    const active = device.chassis.faults.inject(3, fault)
    await read(device, 3)
    await device.advance(3000)
    active?.clear()
    await device.advance(BACK_WITHIN_MS)
    expect(await statuses(device, 3, 3)).toEqual([200, 200, 200])
  })
})

describeDevice('a fault', (device) => {
  it('ends automatically after its time, and is listed until then', async () => {
    device.chassis.faults.inject(3, hang(), { forMs: 500 })
    expect(device.chassis.faults.active()).toMatchObject([{ slot: 3, description: 'the module hangs' }])
    await device.advance(501)
    expect(device.chassis.faults.active()).toEqual([])
    await device.advance(3000)
    expect((await read(device, 3)).status).toBe(200)
  })

  it('stays in its slot when the module is replugged, and ends when cleared', async () => {
    device.chassis.faults.inject(3, garbage({ share: 1 }))
    device.chassis.faults.inject(5, crcErrors({ share: 0.05 }))
    device.chassis.unplug(3)
    await device.advance(1000)
    device.chassis.plug(3, firmwares.io)
    await device.advance(2000)
    expect((await device.get('/api/io/1.0/3/input/values')).status).toBe(404)
    expect(device.chassis.faults.active()).toMatchObject([{ slot: 3 }, { slot: 5 }])
    device.chassis.faults.clear(3)
    expect(device.chassis.faults.active()).toMatchObject([{ slot: 5 }])
    await device.advance(2000)
    expect((await read(device, 3)).status).toBe(200)
    device.chassis.faults.clear()
    expect(device.chassis.faults.active()).toEqual([])
  })

  it('does not hide other faults of the same slot', async () => {
    device.chassis.faults.inject(3, crcErrors({ share: 0.05 }))
    device.chassis.faults.inject(3, garbage({ share: 0.05 }))
    device.chassis.faults.inject(3, duplicatedFrames({ share: 0.05 }))
    expect((await statuses(device, 3)).filter((status) => status !== 200 && status !== 500)).toEqual([])
    device.chassis.faults.clear()
    expect(new Set(await statuses(device, 3))).toEqual(new Set([200]))
  })
})

describeDevice('a module in bootloader mode', (device) => {
  it('is not listed, and its paths answer 404, until the fault is cleared', async () => {
    const fault = device.chassis.faults.inject(3, bootloader())
    await device.advance(2000)
    expect(await device.module('io', 3).session()).toBeUndefined()
    expect((await device.module('io', 3).get('descriptor')).status).toBe(404)
    fault?.clear()
    await device.advance(2000)
    expect((await read(device, 3)).status).toBe(200)
  })
})

describeDevice('a module that reboots', (device) => {
  it('leaves the list, returns with a new session, and does not affect other modules', async () => {
    const [io, other] = [device.module('io', 3), device.module('io', 5)]
    const [before, otherBefore] = [await io.session(), await other.session()]
    device.chassis.faults.inject(3, reboot())
    await device.advance(1)
    expect((await device.get('/api/io/1.0/3/input/values', FRESH)).status).toBe(404)
    await device.advance(1500)
    expect(await io.session()).not.toBe(before)
    expect((await read(device, 3)).status).toBe(200)
    expect(await other.session()).toBe(otherBefore)
  })
})

describe('storage', () => {
  describeDevice('full storage', (device) => {
    it('refuses to save the watchdog, keeps the saved one, and saves again when there is space', async () => {
      const bmc = device.module('bmc', 0)
      await bmc.set('watchdog', { timeout: 60_000 })
      const fault = device.chassis.faults.inject(0, fullStorage())
      const { status } = await bmc.get('watchdog/save')
      expect(status).toBe(500)
      fault?.clear()
      expect((await bmc.get('watchdog/save')).status).toBe(200)
      await device.until(bmc.post('reset', { reset: 'yes' }))
      expect(await bmc.read('watchdog')).toMatchObject({ timeout: 60_000 })
    })
  })

  describeDevice('corrupt storage', (device) => {
    it('puts the mainboard into emergency mode at its next start, until a factory reset', async () => {
      const bmc = device.module('bmc', 0)
      device.chassis.faults.inject(0, corruptStorage())
      await device.until(bmc.post('reset', { reset: 'yes' }))
      expect(await bmc.read('watchdog')).toMatchObject({ emergency_mode: true })
      expect((await bmc.get('watchdog/save')).status).toBe(400)
      await device.until(device.chassis.factoryReset(0))
      await device.until(bmc.post('reset', { reset: 'yes' }))
      expect(await bmc.read('watchdog')).toMatchObject({ emergency_mode: false })
      await bmc.read('watchdog/save')
    })
  })

  describeDevice('lost storage', (device) => {
    it('loses the saved watchdog at the next start', async () => {
      const bmc = device.module('bmc', 0)
      await bmc.set('watchdog', { timeout: 60_000 })
      await bmc.read('watchdog/save')
      await device.until(bmc.post('reset', { reset: 'yes' }))
      expect(await bmc.read('watchdog')).toMatchObject({ timeout: 60_000 })
      device.chassis.faults.inject(0, memoryLoss())
      await device.until(bmc.post('reset', { reset: 'yes' }))
      expect(await bmc.read('watchdog')).toMatchObject({ timeout: 0 })
    })
  })
})
