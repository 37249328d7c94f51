import {
  bootloader,
  crcErrors,
  duplicatedFrames,
  type Fault,
  garbage,
  hang,
  lateFrames,
  lostFrames,
  wrongClass,
} from '@slotwire/twin'
import { expect, it } from 'vitest'
import * as firmwares from '../../modules/firmwares.ts'
import { type Answer, type Device, describeDevice } from './device.testkit.ts'

const FRESH = { 'cache-control': 'no-cache' }
/** Longest time of a failing request: four attempts of 250 ms, each perhaps after a heartbeat. */
const FAILED_WITHIN_MS = 2100
const REQUESTS = 40

/** The status, and the time that the answer took on the device's clock. */
async function timed(device: Device, request: () => Promise<Answer>): Promise<{ status: number; ms: number }> {
  const started = device.clock.now()
  let ended = 0
  const pending = request().finally(() => {
    ended = device.clock.now()
  })
  const { status } = await device.until(pending)
  return { status, ms: ended - started }
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
