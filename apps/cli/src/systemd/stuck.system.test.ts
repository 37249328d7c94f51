import { join } from 'node:path'
import { monotonicMicroseconds, SystemClock, silentLog } from '@slotwire/core'
import { createPowerManagerClient } from '@slotwire/driver/power-manager'
import { beforeEach, expect, it, vi } from 'vitest'
import { FakeDevice } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { holdPowerBudget } from '../power/power-manager-command.ts'
import { createKernelDevice } from '../serve/kernel-device.ts'

const US_PER_MS = 1000
/** Longer than any operation of the driver may take, in milliseconds. */
const TOO_LONG_MS = 130_000
const SOON = { timeout: 30_000, interval: 20 }
const NEVER = new Promise<never>(() => undefined)
const NO_POWER_NEEDED = { power3v3: 0, power5v0: 0, power12v: 0 }

// Each test starts several programs, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describeWith('socat', 'stuck()', (socat) => {
  let folder: string
  let device: FakeDevice
  /** Lead of the clock, in milliseconds. */
  let leap: number
  let clock: SystemClock
  beforeEach(async () => {
    folder = temporaryFolder()
    device = await FakeDevice.switchedOn(socat)
    leap = 0
    clock = new SystemClock({ monotonic: () => Number(monotonicMicroseconds()) / US_PER_MS + leap })
  })

  const context = () => ({ clock, log: silentLog, stopping: new AbortController().signal })

  it('reports a slot of this device that is stuck', async () => {
    const { sysRoot, devRoot } = device.tree
    const options = { services: ['io'], powerMode: 'strict', socket: join(folder, 'p'), sysRoot, devRoot } as const
    const served = await createKernelDevice({ ...options, ...context() })
    try {
      await served.start()
      const [module] = served.rack.usable('modules.noreya.tech/io')
      void module?.write(() => NEVER).catch(() => undefined)
      expect(served.stuck()).toBeUndefined()
      leap = TOO_LONG_MS
      expect(served.stuck()).toMatch(/^slot 3: a request has not ended for 130 s$/)
    } finally {
      await served.close()
    }
  })

  it('reports a stuck power configuration until the power manager closes its driver', async () => {
    device.chassis.unplug(1)
    await device.shown([0, 3, 5])
    const socket = join(folder, 'p')
    const options = { socket, sysRoot: device.tree.sysRoot, powerMode: 'strict', logLevel: 'silent' } as const
    const held = await holdPowerBudget(
      { ...options, powerService: 'http://127.0.0.1:1' },
      { ...context(), print: () => undefined },
    )
    const driver = createPowerManagerClient({ socket, clock: new SystemClock() })
    try {
      expect(await driver.request(3, NO_POWER_NEEDED)).toMatchObject({ granted: true })
      expect(held.stuck()).toBeUndefined()
      leap = TOO_LONG_MS
      expect(held.stuck()).toBe('the power configuration of a module does not end')
      await expect.poll(() => held.stuck(), SOON).toBeUndefined()
    } finally {
      await held.close()
    }
  })
})
