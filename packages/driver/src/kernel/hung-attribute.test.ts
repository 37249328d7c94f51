import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { plug } from './scripted-files.testkit.ts'
import { SCAN_INTERVAL_MS } from './slot-folders.ts'

const FOLDER = '/sys/class/sdbp/slot3'

describe('a module with an attribute whose read never ends', () => {
  let kernel: ScriptedKernel
  let read: ScriptedKernel['files']['read']
  beforeEach(async () => {
    kernel = new ScriptedKernel()
    plug(kernel.files, 3)
    await kernel.start()
    read = kernel.files.read.bind(kernel.files)
  })
  afterEach(async () => expect(await kernel.close()).toBe(0))

  /** From now on reading this file never returns, also for the next module in the slot. */
  const hang = (attribute: string): void => {
    kernel.files.read = (paths) => (paths.includes(`${FOLDER}/${attribute}`) ? new Promise(() => undefined) : read(paths))
  }
  async function exchangeModule(rid: string): Promise<void> {
    kernel.files.remove(FOLDER)
    await kernel.clock.advance(SCAN_INTERVAL_MS)
    kernel.files.read = read
    plug(kernel.files, 3, { rid })
    await kernel.clock.advance(SCAN_INTERVAL_MS)
  }

  it('does not delay the next module in its slot', async () => {
    hang('max_power_5v0')
    const [descriptor, power] = [kernel.backplane.descriptor(3), kernel.backplane.powerDescriptors()]
    const outcomes = Promise.allSettled([Promise.race([descriptor, kernel.clock.sleep(5000)]), power])
    await exchangeModule('7')
    expect(await kernel.backplane.descriptor(3)).toMatchObject({ maxPower5v0: 2500 })
    expect((await kernel.backplane.powerDescriptors()).get(3)).toMatchObject({ maxPower5v0: 2500 })
    await kernel.clock.advance(5000)
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('does not hide a later change in its slot', async () => {
    hang('rid')
    await kernel.clock.advance(SCAN_INTERVAL_MS)
    await exchangeModule('7')
    kernel.events.length = 0
    plug(kernel.files, 3, { rid: '8' })
    await kernel.clock.advance(2 * SCAN_INTERVAL_MS)
    expect(kernel.events).toEqual(['left 3', 'arrived 3'])
  })
})
