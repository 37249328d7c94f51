import { beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedKernel, startedKernel } from './kernel-backplane.testkit.ts'
import { ChildEnded, Errno } from './kernel-files.ts'
import { MAX_POWER_READ_MS } from './kernel-slot.ts'
import { plug } from './scripted-files.testkit.ts'

const FOLDER = '/sys/class/sdbp/slot3'
const relay = { vendorProductId: 'example.org/relay', maxPower3v3: 100, maxPower5v0: 2500, maxPower12v: 0 }

describe('the power descriptors of the modules', () => {
  let kernel: ScriptedKernel
  beforeEach(async () => {
    kernel = await startedKernel(0, 3)
  })

  const read = async () => [...(await kernel.backplane.powerDescriptors())]
  const refused = (message: string) =>
    expect(kernel.backplane.powerDescriptors()).rejects.toMatchObject({ failure: 'transfer-failed', message })

  it('contain type and power figures, even if the rest of a descriptor is unreadable or invalid', async () => {
    plug(kernel.files, 3, { serial_code: 'n/a', fw_version: 'none' })
    kernel.files.fail('read', `${FOLDER}/vendor_name`, Errno.EIO, 100)
    expect(await read()).toEqual([
      [0, relay],
      [3, relay],
    ])
  })

  it('include a module that came a moment ago, and none that left', async () => {
    kernel.files.remove('/sys/class/sdbp/slot0')
    plug(kernel.files, 7, { max_power_12v: '12000' })
    expect(await read()).toEqual([
      [3, relay],
      [7, { ...relay, maxPower12v: 12_000 }],
    ])
  })

  it('leave out a module that leaves while it is read', async () => {
    kernel.files.fail('read', `${FOLDER}/max_power_3v3`, Errno.ENODEV)
    const list = kernel.files.list.bind(kernel.files)
    kernel.files.list = async (folder) => {
      const names = await list(folder)
      kernel.files.remove(FOLDER)
      return names
    }
    expect(await read()).toEqual([[0, relay]])
  })

  it('are read again while they are updated', async () => {
    kernel.files.fail('read', `${FOLDER}/max_power_12v`, Errno.EAGAIN, 3)
    const reading = read()
    await kernel.clock.advance(300)
    expect(await reading).toHaveLength(2)
  })

  it.each(['EAGAIN', 'EIO'] as const)('fail within a second if they cannot be read at all (%s)', async (errno) => {
    kernel.files.fail('read', `${FOLDER}/max_power_12v`, Errno[errno], 100)
    const reading = refused(`read ${FOLDER}/max_power_12v: ${errno}, 4 times, 100 ms apart`)
    await kernel.clock.advance(300)
    await reading
  })

  it.each(['ENODEV', 'EBADSLT', 'EACCES'] as const)('fail if the kernel reports %s for a module that is there', (errno) => {
    kernel.files.fail('read', `${FOLDER}/max_power_12v`, Errno[errno])
    return refused(`slot 3: read ${FOLDER}/max_power_12v: ${errno}`)
  })

  it('fail if a figure is invalid', () => {
    plug(kernel.files, 3, { max_power_12v: '-1' })
    return refused('slot 3: max_power_12v reads "-1", which is invalid')
  })

  it('fail if a call never returns; the call is made once and then awaited', async () => {
    const files = kernel.files.read.bind(kernel.files)
    let asked = 0
    let answer = (): void => undefined
    kernel.files.read = async (paths) => {
      if (!paths.includes(`${FOLDER}/max_power_3v3`)) return files(paths)
      asked++
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return files(paths)
    }
    for (let round = 0; round < 3; round++) {
      const reading = refused(
        `slot 3: vendor_product_id, max_power_3v3, max_power_5v0, max_power_12v were not read within ${MAX_POWER_READ_MS} ms`,
      )
      await kernel.clock.advance(MAX_POWER_READ_MS)
      await reading
    }
    expect(asked).toBe(1)
    kernel.files.read = files
    answer()
    await kernel.clock.advance(0)
    expect(await read()).toHaveLength(2)
  })

  it('fail while the slots cannot be listed, since there may be another module', async () => {
    kernel.files.fail('scandir', '/sys/class/sdbp', Errno.EIO)
    await refused('the slots could not be listed: scandir /sys/class/sdbp: EIO')
    kernel.files.list = () => new Promise(() => undefined)
    const looking = refused(`the slots could not be listed: not within ${MAX_POWER_READ_MS} ms`)
    await kernel.clock.advance(MAX_POWER_READ_MS)
    await looking
  })

  it('fail, as descriptors do, when every reader process ends too early; no module counts as removed', async () => {
    kernel.files.read = () => Promise.reject(new ChildEnded('the process that reads /sys has ended'))
    await refused('slot 0: the process that reads /sys has ended')
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({ failure: 'transfer-failed' })
    kernel.files.remove(FOLDER)
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({ failure: 'gone' })
  })
})
