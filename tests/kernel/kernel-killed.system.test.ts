import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { setOutputState, setPowerConfig, testPowerConfig } from '@slotwire/modules/io/wire'
import { modeRun, modeSuspend, updateDescriptor } from '@slotwire/sdbp'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { childrenOf, FakeDevice, runs } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

/** The promise: served again so soon after the start of the process. A machine that has nothing else to do takes half of it. */
const SERVED_WITHIN_MS = 2000
const STARTS = 5
/** What runs beside this test takes its time as well: one start may be late, by so much. */
const LATE = 1
const LATE_WITHIN_MS = 5000
/** A busy machine takes its time to start processes, and to notice that they ended. */
const SOON = { timeout: 30_000, interval: 5 }

const clock = new SystemClock()

// Each starts several programs, which takes a busy machine its time.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describeWith('socat', 'a service that is killed with SIGKILL', (socat) => {
  let state: string
  let device: FakeDevice
  let service: KernelService
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'slotwire killed '))
    device = await FakeDevice.switchedOn(socat)
    service = await KernelService.start(device, state)
  })
  afterEach(async () => {
    await service.remove()
    await device.close()
    rmSync(state, { recursive: true })
  })

  const volts = (pin: number): number => device.bench.pin(3, pin).volts
  const power = (): Promise<unknown> =>
    service.post('io/1.0/3/power-management', { config: Array(6).fill({ rail: '5_volt', current_milliampere: 10 }) })
  const drive = (pin: number): Promise<unknown> => service.post('io/1.0/3/output/state', { pin, state: 'high' })

  const drivesPin1 = async (): Promise<void> => {
    expect(await power()).toMatchObject({ status: 'success' })
    expect(await drive(1)).toEqual({ status: 'success' })
    expect(volts(1)).toBeGreaterThan(4.5)
  }

  /** The kernel has closed every file, once, and nothing is driven any more. */
  const isSafe = async (): Promise<void> => {
    await expect.poll(() => [...device.tree.closings].sort(), SOON).toEqual([0, 1, 3, 5])
    await expect.poll(() => device.bench.slot(3).mode, SOON).toBe('suspend')
    for (const pin of [1, 2]) expect(volts(pin)).toBeLessThan(0.1)
  }

  const isServedAnew = async (): Promise<void> => {
    service = await KernelService.start(device, state)
    expect(service.announcement.slots.map(({ slot }) => slot)).toEqual([0, 1, 3, 5])
    await drivesPin1()
  }

  it('while outputs are driven leaves them off, and the next start serves', async () => {
    await drivesPin1()
    await service.kill()
    await isSafe()
    await isServedAnew()
  })

  it('in the middle of an exchange that drives an output leaves all of them off, and the next start serves', async () => {
    await drivesPin1()
    device.onCommand(3, setOutputState, () => service.run.child.kill('SIGKILL'))
    await expect(drive(2)).rejects.toThrow()
    await isSafe()
    await isServedAnew()
  })

  it.each([modeSuspend, updateDescriptor, modeRun, testPowerConfig, setPowerConfig])(
    'in the middle of a power configuration, at $name, leaves them off, and the next start serves',
    async (command) => {
      await drivesPin1()
      device.onCommand(3, modeSuspend, () => {
        if (command === modeSuspend) service.run.child.kill('SIGKILL')
        else device.onCommand(3, command, () => service.run.child.kill('SIGKILL'))
      })
      await expect(power()).rejects.toThrow()
      await isSafe()
      await isServedAnew()
    },
  )

  it('leaves no process behind, and no file open, although a module never answers', async () => {
    await power()
    const children = childrenOf(service.run.pid)
    device.onCommand(3, setOutputState, () => {
      device.tree.mute.add(3)
      service.run.child.kill('SIGKILL')
    })
    await expect(drive(1)).rejects.toThrow()
    expect(children.length).toBeGreaterThan(4)
    await expect.poll(() => children.filter(runs), SOON).toEqual([])
    await isSafe()
    device.tree.mute.clear()
    await isServedAnew()
  })

  it('is served again within two seconds of the next start, four times of five; the fifth within five', async () => {
    const took: number[] = []
    for (let start = 1; start <= STARTS; start++) {
      await service.kill()
      const from = clock.now()
      service = await KernelService.answering(device, state, '/api/io/1.0/3/input/values')
      took.push(Math.round(clock.now() - from))
    }
    const said = `milliseconds of each start: ${took.join(', ')}`
    expect(took.filter((each) => each >= SERVED_WITHIN_MS).length, said).toBeLessThanOrEqual(LATE)
    expect(Math.max(...took), said).toBeLessThan(LATE_WITHIN_MS)
  })
})
