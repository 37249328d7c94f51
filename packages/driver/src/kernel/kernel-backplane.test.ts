import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Errno } from './errno.ts'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { plug } from './scripted-files.testkit.ts'
import { SCAN_INTERVAL_MS } from './slot-folders.ts'

const HALF_A_SECOND = 500

describe('the kernel driver', () => {
  const refused = (version: string) => expect(new ScriptedKernel(version).start()).rejects

  it.each([
    ['1.1.2\n', { major: 1, minor: 1, patch: 2 }],
    ['1.1.0\n', { major: 1, minor: 1, patch: 0 }],
    ['1.12.3\n', { major: 1, minor: 12, patch: 3 }],
    ['1.3\0', { major: 1, minor: 3, patch: 0 }],
  ])('%j is taken, and reported', async (version, expected) => {
    const kernel = new ScriptedKernel(version)
    expect((await kernel.start()).kernelDriver).toEqual(expected)
    await kernel.close()
  })

  it('of another version is refused, and which are not is said', async () => {
    const supported = 'is not supported: 1.1.0 up to below 2.0.0 is: install one of these'
    await refused('1.0.9\n').toThrow(`kernel driver sdbpk 1.0.9 ${supported}`)
    await refused('2.0.0\n').toThrow(`kernel driver sdbpk 2.0.0 ${supported}`)
    await refused('nonsense\n').toThrow(`kernel driver sdbpk "nonsense\\n" ${supported}`)
  })

  it('that is not loaded is missed, with what to do', async () => {
    const kernel = new ScriptedKernel()
    kernel.files.contents.clear()
    await expect(kernel.start()).rejects.toThrow(/open \/sys\/module\/sdbpk\/version: ENOENT.*modprobe sdbpk/)
  })

  it('that may not be read is told as that', async () => {
    const kernel = new ScriptedKernel()
    kernel.files.fail('read', '/sys/module/sdbpk/version', Errno.EACCES)
    await expect(kernel.start()).rejects.toThrow(
      /version: EACCES\): this user must be allowed to read \/sys\/module\/sdbpk\/version$/,
    )
  })

  it('that does not show its slots is told as that: nobody may take them for empty', async () => {
    const kernel = new ScriptedKernel()
    plug(kernel.files, 0)
    kernel.files.fail('scandir', '/sys/class/sdbp', Errno.EACCES, 2)
    await expect(kernel.start()).rejects.toThrow(
      'the slots could not be listed (scandir /sys/class/sdbp: EACCES): this user must be allowed to read /sys/class/sdbp',
    )
    expect(kernel.clock.pending).toBe(0)
  })
})

describe('the slots', () => {
  let kernel: ScriptedKernel
  beforeEach(async () => {
    kernel = new ScriptedKernel()
    plug(kernel.files, 0)
    plug(kernel.files, 3)
    kernel.files.contents.set('/sys/class/sdbp/slot12/rid', '1\0')
    kernel.files.contents.set('/sys/class/sdbp/version', '1\0')
    await kernel.start()
  })
  afterEach(async () => expect(await kernel.close()).toBe(0))

  it('that hold a module are known from the start, and nothing else in the folder is one', () => {
    expect(kernel.backplane.present()).toEqual([0, 3])
    expect(kernel.backplane.state).toBe('up')
  })

  it('are found full, and empty, within half a second', async () => {
    plug(kernel.files, 7)
    kernel.files.remove('/sys/class/sdbp/slot0')
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 0', 'arrived 7'])
    expect(kernel.backplane.present()).toEqual([3, 7])
  })

  it('hold another module when the rid has changed between two looks', async () => {
    await kernel.clock.advance(HALF_A_SECOND)
    plug(kernel.files, 3, { rid: '42' })
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 3', 'arrived 3'])
  })

  it('hold the same module while the rid cannot be read', async () => {
    await kernel.clock.advance(HALF_A_SECOND)
    kernel.files.fail('read', '/sys/class/sdbp/slot3/rid', Errno.EAGAIN, 3)
    await kernel.clock.advance(4 * SCAN_INTERVAL_MS)
    expect(kernel.events).toEqual([])
  })

  it.each([
    ['what was read of the module before comes late', 'read' as const],
    ['a look begun for the module before finds the successor there already', 'waiting' as const],
  ])('hold a successor when %s', async (_when, first) => {
    if (first === 'waiting') await kernel.backplane.look()
    const read = kernel.files.read.bind(kernel.files)
    const late: (() => void)[] = []
    kernel.files.read = async (paths) => {
      const before = first === 'read' ? await read(paths) : undefined
      await new Promise<void>((resolve) => late.push(resolve))
      return before ?? read(paths)
    }
    await kernel.backplane.look()
    kernel.files.remove('/sys/class/sdbp/slot3')
    await kernel.backplane.look()
    plug(kernel.files, 3, { rid: '42' })
    await kernel.backplane.look()
    kernel.files.read = read
    for (const answer of late) answer()
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 3', 'arrived 3'])
  })

  it('are all empty when the kernel driver is taken out, and full again when it is back', async () => {
    kernel.files.remove('/sys/class/sdbp')
    await kernel.clock.advance(HALF_A_SECOND)
    plug(kernel.files, 3)
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 0', 'left 3', 'arrived 3'])
  })

  it('are told to be missing each time that the kernel driver is taken out, once', async () => {
    const told = () => kernel.log.at('warn').map(({ message }) => message)
    kernel.files.remove('/sys/class/sdbp')
    await kernel.clock.advance(10_000)
    expect(told()).toEqual(['the kernel driver shows no slots'])
    plug(kernel.files, 3)
    await kernel.clock.advance(HALF_A_SECOND)
    kernel.files.remove('/sys/class/sdbp')
    await kernel.clock.advance(HALF_A_SECOND)
    expect(told()).toEqual(Array(2).fill('the kernel driver shows no slots'))
  })

  it('stay as they are while they cannot be looked at, which is told once', async () => {
    kernel.files.fail('scandir', '/sys/class/sdbp', Errno.EIO, 3)
    await kernel.clock.advance(4 * SCAN_INTERVAL_MS)
    expect(kernel.backplane.present()).toEqual([0, 3])
    expect(kernel.log.at('error').map(({ message }) => message)).toEqual(['the slots could not be looked at, trying on'])
  })

  it('that are empty have neither descriptor nor file', async () => {
    await expect(kernel.backplane.descriptor(5)).rejects.toMatchObject({ failure: 'gone' })
    await expect(kernel.backplane.open(5)).rejects.toMatchObject({ failure: 'gone' })
  })
})
