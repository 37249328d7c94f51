import { type ManualClock, type SlotLink, silentLog } from '@slotwire/core'
import { encodeRequest, modeRun } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { hang } from '../faults/index.ts'
import { toyChassis } from '../module/toy-firmware.testkit.ts'
import { HostProcess } from './host-process.ts'

const heartbeat = encodeRequest(modeRun, {})

async function running() {
  const { clock, chassis } = toyChassis()
  await chassis.powerOn()
  const process = new HostProcess({ backplane: chassis, clock, log: silentLog })
  return { clock, chassis, process, mode: () => chassis.module(2).mode }
}

/** Whether a promise has settled after all due timers have run. */
async function isSettled(clock: ManualClock, work: Promise<unknown>): Promise<boolean> {
  let settled = false
  const done = (): void => {
    settled = true
  }
  work.then(done, done)
  await clock.advance(10_000)
  return settled
}

describe('a process that runs', () => {
  it('sees the backplane', async () => {
    const { process, chassis } = await running()
    const { backplane } = process
    expect([backplane.kernelDriver, backplane.state, backplane.present()]).toEqual([chassis.kernelDriver, 'up', [2]])
    expect(await backplane.descriptor(2)).toEqual(await chassis.descriptor(2))
    expect(await backplane.hostDevices({ bus: 'usb', names: /./, attributes: [] })).toEqual([])
    await expect(backplane.open(3)).rejects.toMatchObject({ failure: 'gone' })
    chassis.powerOff()
    expect(backplane.state).toBe('restarting')
  })

  it('runs timers and sleeps by its clock, except cancelled ones', async () => {
    const { process, clock, chassis } = await running()
    const fired: number[] = []
    process.clock.after(10, () => fired.push(process.clock.now()))
    process.clock.after(10, () => fired.push(-1)).cancel()
    const slept = process.clock.sleep(20)
    await clock.advance(20)
    await slept
    expect(fired).toEqual([10])
    const stop = new AbortController()
    const aborted = expect(process.clock.sleep(20, stop.signal)).rejects.toThrow('enough')
    stop.abort(new Error('enough'))
    await aborted
    expect(clock.pending).toBe(0)
    chassis.powerOff()
  })

  it('hands on what a link reports, until it is killed', async () => {
    const { process: other, clock, chassis } = await running()
    const [events, listeners] = [[] as string[], [] as (() => void)[]]
    const inner: SlotLink = {
      slot: 2,
      exchange: async () => heartbeat,
      onOperationSent: (listener) => listeners.push(listener),
      onRestart: (listener) => listeners.push(listener),
      onNotification: (listener) => listeners.push(() => listener(heartbeat)),
      close: async () => undefined,
    }
    const process = new HostProcess({ backplane: { ...other.backplane, open: async () => inner }, clock, log: silentLog })
    const link = await process.backplane.open(2)
    link.onOperationSent?.(() => events.push('sent'))
    link.onRestart?.(() => events.push('restarted'))
    link.onNotification(() => events.push('notification'))
    for (const report of listeners) report()
    process.kill()
    for (const report of listeners) report()
    expect(events).toEqual(['sent', 'restarted', 'notification'])
    chassis.powerOff()
  })

  it('closes its slots itself, once', async () => {
    const { process, clock, chassis, mode } = await running()
    const link = await process.backplane.open(2)
    await link.exchange(heartbeat)
    expect(mode()).toBe('run')
    await link.close()
    expect(mode()).toBe('suspend')
    process.kill()
    chassis.powerOff()
    expect(clock.pending).toBe(0)
  })
})

describe('a process that is killed', () => {
  it('fires no timer, neither old nor new', async () => {
    const { process, clock, chassis } = await running()
    const fired: string[] = []
    const other = process.wrapClock(clock)
    process.clock.after(10, () => fired.push('before'))
    other.after(10, () => fired.push('on another clock'))
    process.kill()
    expect([clock.pending, process.killed]).toEqual([0, true])
    process.clock.after(10, () => fired.push('after')).cancel()
    other.after(0, () => fired.push('after'))
    const slept = isSettled(clock, process.clock.sleep(5))
    expect([await slept, fired]).toEqual([false, []])
    chassis.powerOff()
  })

  it('receives no events and no notifications', async () => {
    const { process, clock, chassis } = await running()
    const events: string[] = []
    process.backplane.subscribe(({ type }) => events.push(type))()
    process.backplane.subscribe(({ type }) => events.push(type))
    const link = await process.backplane.open(2)
    link.onNotification(() => events.push('notification'))
    link.onOperationSent?.(() => events.push('sent'))
    process.kill()
    process.backplane.subscribe(({ type }) => events.push(type))()
    chassis.unplug(2)
    await clock.advance(1000)
    expect(events).toEqual([])
    chassis.powerOff()
  })

  it('loses its slots at once: the kernel closes them before the fail-safe of the module', async () => {
    const { process, clock, chassis, mode } = await running()
    const link = await process.backplane.open(2)
    await link.exchange(heartbeat)
    process.kill()
    await clock.advance(0)
    expect(mode()).toBe('suspend')
    chassis.powerOff()
  })

  it('loses a slot that it was opening', async () => {
    const { process, clock, chassis, mode } = await running()
    await (await chassis.open(2)).exchange(heartbeat)
    const opening = process.backplane.open(2)
    process.kill()
    await clock.advance(0)
    expect(mode()).toBe('suspend')
    expect(await isSettled(clock, opening)).toBe(false)
    chassis.powerOff()
  })

  it('gets no answer to earlier or later calls', async () => {
    const { process, clock, chassis, mode } = await running()
    const link = await process.backplane.open(2)
    const fault = chassis.faults.inject(2, hang())
    const asked = link.exchange(heartbeat)
    const found = process.backplane.descriptor(2)
    process.kill()
    fault?.clear()
    const waiting = [
      asked,
      found,
      link.exchange(heartbeat),
      link.close(),
      process.backplane.hostDevices({ bus: 'usb', names: /./, attributes: [] }),
    ]
    for (const work of waiting) expect(await isSettled(clock, work)).toBe(false)
    expect(mode()).toBe('suspend')
    chassis.powerOff()
    expect(clock.pending).toBe(0)
  })

  it('ignores a second kill', async () => {
    const { process, chassis } = await running()
    process.kill()
    process.kill()
    expect(process.killed).toBe(true)
    chassis.powerOff()
  })
})
