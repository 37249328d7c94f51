import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, realpathSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setOutputState } from '@slotwire/modules/io/wire'
import { squareWave } from '@slotwire/twin'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { atTestEnd } from '../at-test-end.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { childrenOf, FakeDevice, runs, stopPrograms } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

/** ioctl that makes a terminal exclusive, like the kernel driver's slot files: EBUSY for all but root. */
const TIOCEXCL = 0x540c
/** A busy machine needs time to start processes and to detect their end. */
const SOON = { timeout: 30_000, interval: 10 }
/** Each rising edge is a notification. */
const EVERY_20_MS = squareWave({ lowVolts: 0, highVolts: 5, frequencyHz: 50 })
/** How often a test of the reader's pace is repeated on a busy machine. */
const TRIES = 5

// Each test starts several programs, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describeWith('socat', 'slots of a served device', (socat) => {
  let state: string
  let device: FakeDevice
  let service: KernelService | undefined
  beforeEach(async () => {
    state = temporaryFolder()
    device = await FakeDevice.switchedOn(socat)
  })
  afterEach(() => (service = undefined))

  const file = (slot: number): string => join(device.tree.devRoot, `slot${slot}`)
  const start = async (): Promise<KernelService> => {
    service = await KernelService.start(device, state)
    return service
  }
  const usable = async (name = 'io'): Promise<readonly number[]> => {
    const { devices } = (await service?.get(`${name}/`)) as { devices: readonly { slot_number: number }[] }
    return devices.map(({ slot_number }) => slot_number)
  }
  /** Log lines about a slot, in order. */
  const logged = (slot: number): readonly { readonly level: number; readonly msg: string; readonly reason?: string }[] =>
    (service?.run.errors ?? '')
      .split('\n')
      .filter((line) => line.includes(`"slot":${slot},`))
      .map((line) => JSON.parse(line) as { level: number; msg: string })
  const isServed = (slot: number): Promise<void> => expect.poll(() => usable(), SOON).toContain(slot)

  /** Another program that uses a slot. */
  const hold = async (slot: number) => {
    const device_ = `OPEN:${realpathSync(file(slot))},ioctl-void=${TIOCEXCL}`
    const other = spawn(socat, ['-d', '-d', '-d', device_, 'STDIO'], { stdio: ['pipe', 'pipe', 'pipe'] })
    const ended = once(other, 'exit')
    const release = async () => {
      other.kill('SIGKILL')
      await ended
    }
    atTestEnd(release)
    for await (const line of other.stderr.iterator({ destroyOnReturn: false }))
      if (String(line).includes('starting data transfer loop')) break
    other.stderr.resume()
    return release
  }

  it('are given up when a module hangs without a request for it, and served when it answers again', async () => {
    await start()
    device.tree.mute.add(3)
    await expect.poll(() => logged(3).map(({ msg }) => msg), SOON).toContain('the module hangs and is given up')
    expect(await usable()).toEqual([5])
    device.tree.mute.clear()
    await isServed(3)
  })

  it('are logged once with the remedy while another program uses them, and served when they are free', async () => {
    const release = await hold(3)
    await start()
    expect(await usable()).toEqual([5])
    await expect.poll(() => logged(3).length, SOON).toBe(1)
    expect(logged(3)[0]).toMatchObject({
      level: 40,
      msg: 'module could not be started, trying again',
      reason: `slot 3 is used by another program: end it ("fuser ${file(3)}" shows which); the slot is opened as soon as it is free`,
    })
    await release()
    await isServed(3)
    expect(logged(3).map(({ msg }) => msg)).toEqual(['module could not be started, trying again', 'module is usable'])
  })

  it('are logged with the missing permission, and served when it is granted', async () => {
    const terminal = realpathSync(file(3))
    chmodSync(terminal, 0)
    await start()
    expect(await usable()).toEqual([5])
    expect(logged(3)[0]?.reason).toBe(
      `slot 3: no permission for ${file(3)}: this user must be allowed to read and write it, and to enter its folder ("namei -l ${file(3)}" shows the rights)`,
    )
    chmodSync(terminal, 0o620)
    await isServed(3)
    expect(logged(3).map(({ msg }) => msg)).toEqual(['module could not be started, trying again', 'module is usable'])
  })

  it('are logged while their file is missing, and served when it appears', async () => {
    renameSync(file(3), `${file(3)}.away`)
    await start()
    expect(await usable()).toEqual([5])
    expect(logged(3)[0]?.reason).toBe(`slot 3 holds a module, but there is no ${file(3)} yet`)
    renameSync(`${file(3)}.away`, file(3))
    await isServed(3)
    expect(logged(3).map(({ msg }) => msg)).toEqual(['module could not be started, trying again', 'module is usable'])
  })

  const sessionOf = async (slot: number): Promise<string | undefined> => {
    const { devices } = (await service?.get('io/')) as { devices: readonly { slot_number: number; device_session: string }[] }
    return devices.find(({ slot_number }) => slot_number === slot)?.device_session
  }
  /** Module 3 has a notification every 20 ms, and drives pin 1. */
  const notify = async (): Promise<void> => {
    const config = Array(6).fill({ rail: '5_volt', current_milliampere: 10 })
    await service?.post('io/1.0/3/power-management', { config })
    await service?.post('io/1.0/3/output/state', { pin: 1, state: 'high' })
    await service?.post('io/1.0/3/input/mode', { pin: 2, mode: 'digital' })
    const interrupt = { pin: 2, debounce_time_milliseconds: 0, trigger: 'rising' }
    expect(await service?.post('io/1.0/3/input/digital/interrupt', interrupt)).toEqual({ status: 'success' })
  }
  const notified = async (): Promise<number> => {
    const text = await (await fetch(`${service?.url}/slotwire/metrics`)).text()
    return Number(/^slotwire_slot_notifications_total\{slot="3"\} (\d+)$/m.exec(text)?.[1])
  }

  it('keep their modules while these have a notification every 20 ms', async () => {
    device.chassis.wiring.connect('3/2', EVERY_20_MS)
    await start()
    // The kernel drops a module whose notification is not read in time: on a busy machine that may happen, but not each time.
    for (let tries = 1, isLost = true; isLost; tries++) {
      expect(tries).toBeLessThanOrEqual(TRIES)
      await expect.poll(notify, SOON).toBeUndefined()
      const [departures, before] = [device.departures(3), await notified()]
      await expect
        .poll(async () => device.departures(3) > departures || (await notified()) >= before + 50, { ...SOON, interval: 100 })
        .toBe(true)
      isLost = device.departures(3) > departures
      await isServed(3)
    }
  })

  it('lose a module whose notifications are not read, and serve it again in a new session, its outputs off', async () => {
    const { run } = await start()
    await notify()
    const session = await sessionOf(3)
    const goOn = stopPrograms(run.pid, 'reader.pl')
    device.chassis.wiring.connect('3/2', EVERY_20_MS)
    await expect.poll(() => device.departures(3), SOON).toBe(1)
    await expect.poll(() => device.bench.pin(3, 1).volts, SOON).toBeLessThan(0.1)
    goOn()
    await expect.poll(async () => [await sessionOf(3)].includes(session), SOON).toBe(false)
    await isServed(3)
    expect(device.departures(3)).toBe(1)
    expect(device.bench.pin(3, 1).volts).toBeLessThan(0.1)
  })

  it('are tracked while modules come and go', async () => {
    await start()
    device.bench.slot(3).unplug()
    await expect.poll(() => usable(), SOON).toEqual([5])
    device.bench.slot(3).plug('bmc')
    device.bench.slot(6).plug('io')
    await expect.poll(() => usable(), SOON).toEqual([5, 6])
    await expect.poll(() => usable('bmc'), SOON).toEqual([0, 3])
  })

  it('are released when the kernel module is unloaded, and found again when it is loaded', async () => {
    await start()
    const layout = device.bench.slots.flatMap(({ slot, moduleType }) => (moduleType === undefined ? [] : [{ slot, moduleType }]))
    const sessions = async () => JSON.stringify(await service?.get('io/'))
    const before = await sessions()
    for (const { slot } of layout) device.bench.slot(slot).unplug()
    await device.shown([])
    for (const gone of ['class/sdbp', 'module/sdbpk'])
      renameSync(join(device.tree.sysRoot, gone), join(device.tree.root, gone.slice(-5)))
    await expect.poll(() => usable(), SOON).toEqual([])
    for (const back of ['class/sdbp', 'module/sdbpk'])
      renameSync(join(device.tree.root, back.slice(-5)), join(device.tree.sysRoot, back))
    for (const { slot, moduleType } of layout) device.bench.slot(slot).plug(moduleType)
    await expect.poll(() => usable(), SOON).toEqual([3, 5])
    await expect.poll(() => usable('power'), SOON).toEqual([1])
    expect(await sessions()).not.toBe(before)
  })

  it('are closed after SIGTERM: a running request completes, and no process is left', async () => {
    const { run } = await start()
    const children = childrenOf(run.pid)
    await service?.post('io/1.0/3/power-management', { config: Array(6).fill({ rail: '5_volt', current_milliampere: 10 }) })
    device.onCommand(3, setOutputState, () => run.child.kill('SIGTERM'))
    expect(await service?.post('io/1.0/3/output/state', { pin: 1, state: 'high' })).toEqual({ status: 'success' })
    expect((await run.ended).code).toBe(0)
    await expect.poll(() => children.filter(runs), SOON).toEqual([])
    await expect.poll(() => [...device.tree.closings].sort(), SOON).toEqual([0, 1, 3, 5])
    expect(device.bench.pin(3, 1).volts).toBeLessThan(0.1)
  })

  it('may all be empty', async () => {
    for (const slot of [0, 1, 3, 5]) device.bench.slot(slot).unplug()
    await device.shown([])
    const { announcement, url } = await start()
    expect(announcement).toMatchObject({
      hardware: 'kernel',
      kernelDriver: '1.3.1',
      slots: [],
      example: `${url}/slotwire/readyz`,
    })
    expect((await fetch(`${url}/slotwire/readyz`)).status).toBe(200)
    device.bench.slot(7).plug('io')
    await isServed(7)
  })
})
