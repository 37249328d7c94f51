import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Errno } from './errno.ts'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { ChildEnded } from './kernel-files.ts'
import { POWER_LIMIT_MS } from './kernel-slot.ts'
import { plug } from './scripted-files.testkit.ts'

const FOLDER = '/sys/class/sdbp/slot3'
const relay = { vendorProductId: 'example.org/relay', maxPower3v3: 100, maxPower5v0: 2500, maxPower12v: 0 }

describe('what the modules say of their power', () => {
  let kernel: ScriptedKernel
  beforeEach(async () => {
    kernel = new ScriptedKernel()
    plug(kernel.files, 0)
    plug(kernel.files, 3)
    await kernel.start()
  })
  afterEach(async () => expect(await kernel.close()).toBe(0))

  const read = async () => [...(await kernel.backplane.powerDescriptors())]
  const refused = (message: string) =>
    expect(kernel.backplane.powerDescriptors()).rejects.toMatchObject({ failure: 'transfer-failed', message })

  it('is their type and their figures, whatever else of their descriptors cannot be read or makes no sense', async () => {
    plug(kernel.files, 3, { serial_code: 'n/a', fw_version: 'none' })
    kernel.files.fail('read', `${FOLDER}/vendor_name`, Errno.EIO, 100)
    expect(await read()).toEqual([
      [0, relay],
      [3, relay],
    ])
  })

  it('has a module that came a moment ago, and none that left', async () => {
    kernel.files.remove('/sys/class/sdbp/slot0')
    plug(kernel.files, 7, { max_power_12v: '12000' })
    expect(await read()).toEqual([
      [3, relay],
      [7, { ...relay, maxPower12v: 12_000 }],
    ])
  })

  it('has none that leaves while it is read', async () => {
    kernel.files.fail('read', `${FOLDER}/max_power_3v3`, Errno.ENODEV)
    const list = kernel.files.list.bind(kernel.files)
    kernel.files.list = async (folder) => {
      const names = await list(folder)
      kernel.files.remove(FOLDER)
      return names
    }
    expect(await read()).toEqual([[0, relay]])
  })

  it('is read again while it is updated, for as long as that takes', async () => {
    kernel.files.fail('read', `${FOLDER}/max_power_12v`, Errno.EAGAIN, 3)
    const reading = read()
    await kernel.clock.advance(300)
    expect(await reading).toHaveLength(2)
  })

  it.each(['EAGAIN', 'EIO'] as const)('is not known when it cannot be read at all (%s), well below a second', async (errno) => {
    kernel.files.fail('read', `${FOLDER}/max_power_12v`, Errno[errno], 100)
    const reading = refused(`read ${FOLDER}/max_power_12v: ${errno}, 4 times, 100 ms apart`)
    await kernel.clock.advance(300)
    await reading
  })

  it.each(['ENODEV', 'EBADSLT', 'EACCES'] as const)(
    'is not known for what the kernel says of a module that is there: %s',
    (errno) => {
      kernel.files.fail('read', `${FOLDER}/max_power_12v`, Errno[errno])
      return refused(`slot 3: read ${FOLDER}/max_power_12v: ${errno}`)
    },
  )

  it('is not known of figures that make no sense', () => {
    plug(kernel.files, 3, { max_power_12v: '-1' })
    return refused('slot 3: max_power_12v reads "-1", which makes no sense')
  })

  it('is not known when a call never comes back; that is asked for once only, and then waited for', async () => {
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
        `slot 3: vendor_product_id, max_power_3v3, max_power_5v0, max_power_12v were not read within ${POWER_LIMIT_MS} ms`,
      )
      await kernel.clock.advance(POWER_LIMIT_MS)
      await reading
    }
    expect(asked).toBe(1)
    kernel.files.read = files
    answer()
    await kernel.clock.advance(0)
    expect(await read()).toHaveLength(2)
  })

  it('is not known while the slots cannot be looked at: one more may be there', async () => {
    kernel.files.fail('scandir', '/sys/class/sdbp', Errno.EIO)
    await refused('the slots could not be looked at: scandir /sys/class/sdbp: EIO')
    kernel.files.list = () => new Promise(() => undefined)
    const looking = refused(`the slots could not be looked at: not within ${POWER_LIMIT_MS} ms`)
    await kernel.clock.advance(POWER_LIMIT_MS)
    await looking
  })

  it('is not known, and no descriptor is, when no process lives long enough to read: that is no sign that anybody left', async () => {
    kernel.files.read = () => Promise.reject(new ChildEnded('the process that reads /sys has ended'))
    await refused('slot 0: the process that reads /sys has ended')
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({ failure: 'transfer-failed' })
    kernel.files.remove(FOLDER)
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({ failure: 'gone' })
  })
})
