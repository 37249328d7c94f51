import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { readHostDevices } from './kernel-backplane.ts'
import { Errno } from './kernel-files.ts'
import { plug, ScriptedFiles } from './scripted-files.testkit.ts'
import { SCAN_INTERVAL_MS } from './slot-folders.ts'

const HALF_A_SECOND = 500

describe('the kernel driver', () => {
  const refused = (version: string) => expect(new ScriptedKernel(version).start()).rejects

  it.each([
    ['1.1.2\n', { major: 1, minor: 1, patch: 2 }],
    ['1.1.0\n', { major: 1, minor: 1, patch: 0 }],
    ['1.12.3\n', { major: 1, minor: 12, patch: 3 }],
    ['1.3\0', { major: 1, minor: 3, patch: 0 }],
  ])('%j is accepted and reported', async (version, expected) => {
    const kernel = new ScriptedKernel(version)
    expect((await kernel.start()).kernelDriver).toEqual(expected)
    await kernel.close()
  })

  it('reports an unsupported version and the supported ones', async () => {
    const supported = 'is not supported: install 1.1.0 or later, below 2.0.0'
    await refused('1.0.9\n').toThrow(`kernel driver sdbpk 1.0.9 ${supported}`)
    await refused('2.0.0\n').toThrow(`kernel driver sdbpk 2.0.0 ${supported}`)
    await refused('nonsense\n').toThrow(`kernel driver sdbpk "nonsense\\n" ${supported}`)
  })

  it('reports a kernel driver that is not loaded, with the remedy', async () => {
    const kernel = new ScriptedKernel()
    kernel.files.contents.clear()
    await expect(kernel.start()).rejects.toThrow(/open \/sys\/module\/sdbpk\/version: ENOENT.*modprobe sdbpk/)
  })

  it('reports a version that may not be read', async () => {
    const kernel = new ScriptedKernel()
    kernel.files.fail('read', '/sys/module/sdbpk/version', Errno.EACCES)
    await expect(kernel.start()).rejects.toThrow(
      /version: EACCES\): this user must be allowed to read \/sys\/module\/sdbpk\/version$/,
    )
  })

  it('fails if the slots cannot be listed, instead of treating them as empty', async () => {
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

  it('include the modules that are present at the start, and ignore other entries of the folder', () => {
    expect(kernel.backplane.present()).toEqual([0, 3])
    expect(kernel.backplane.state).toBe('up')
  })

  it('show within half a second that a module came or left', async () => {
    plug(kernel.files, 7)
    kernel.files.remove('/sys/class/sdbp/slot0')
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 0', 'arrived 7'])
    expect(kernel.backplane.present()).toEqual([3, 7])
  })

  it('report a new module when the rid has changed between two scans', async () => {
    await kernel.clock.advance(HALF_A_SECOND)
    plug(kernel.files, 3, { rid: '42' })
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 3', 'arrived 3'])
  })

  it('keep the module while its rid cannot be read', async () => {
    await kernel.clock.advance(HALF_A_SECOND)
    kernel.files.fail('read', '/sys/class/sdbp/slot3/rid', Errno.EAGAIN, 3)
    await kernel.clock.advance(4 * SCAN_INTERVAL_MS)
    expect(kernel.events).toEqual([])
  })

  it.each([
    ['a late read of the previous module ends', 'read' as const],
    ['a scan that began before the change finds the new module', 'waiting' as const],
  ])('keep the new module when %s', async (_when, first) => {
    if (first === 'waiting') await kernel.backplane.rescan()
    const read = kernel.files.read.bind(kernel.files)
    const late: (() => void)[] = []
    kernel.files.read = async (paths) => {
      const before = first === 'read' ? await read(paths) : undefined
      await new Promise<void>((resolve) => late.push(resolve))
      return before ?? read(paths)
    }
    await kernel.backplane.rescan()
    kernel.files.remove('/sys/class/sdbp/slot3')
    await kernel.backplane.rescan()
    plug(kernel.files, 3, { rid: '42' })
    await kernel.backplane.rescan()
    kernel.files.read = read
    for (const answer of late) answer()
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 3', 'arrived 3'])
  })

  it('become empty when the kernel driver is unloaded, and fill again when it returns', async () => {
    kernel.files.remove('/sys/class/sdbp')
    await kernel.clock.advance(HALF_A_SECOND)
    plug(kernel.files, 3)
    await kernel.clock.advance(HALF_A_SECOND)
    expect(kernel.events).toEqual(['left 0', 'left 3', 'arrived 3'])
  })

  it('log once for each time that the kernel driver is unloaded', async () => {
    const warnings = () => kernel.log.linesOf('warn').map(({ message }) => message)
    kernel.files.remove('/sys/class/sdbp')
    await kernel.clock.advance(10_000)
    expect(warnings()).toEqual(['the kernel driver shows no slots'])
    plug(kernel.files, 3)
    await kernel.clock.advance(HALF_A_SECOND)
    kernel.files.remove('/sys/class/sdbp')
    await kernel.clock.advance(HALF_A_SECOND)
    expect(warnings()).toEqual(Array(2).fill('the kernel driver shows no slots'))
  })

  it('stay unchanged while they cannot be listed, with one log line', async () => {
    kernel.files.fail('scandir', '/sys/class/sdbp', Errno.EIO, 3)
    await kernel.clock.advance(4 * SCAN_INTERVAL_MS)
    expect(kernel.backplane.present()).toEqual([0, 3])
    expect(kernel.log.linesOf('error').map(({ message }) => message)).toEqual(['the slots could not be listed, trying again'])
  })

  it('have neither descriptor nor file while they are empty', async () => {
    await expect(kernel.backplane.descriptor(5)).rejects.toMatchObject({ failure: 'gone' })
    await expect(kernel.backplane.open(5)).rejects.toMatchObject({ failure: 'gone' })
  })
})

const FOLDER = '/sys/bus/usb/devices'
const BEHIND_HUB = '/sys/devices/platform/usb/usb1/1-1/1-1.4'
const QUERY = { bus: 'usb', names: /^1-1\.[\d.]+$/, attributes: ['product', 'serial'] }

function withDevices(devices: Readonly<Record<string, Readonly<Record<string, string>>>>): ScriptedFiles {
  const files = new ScriptedFiles()
  for (const [name, attributes] of Object.entries(devices)) {
    for (const [attribute, value] of Object.entries({ uevent: '', ...attributes })) {
      files.contents.set(`${FOLDER}/${name}/${attribute}`, `${value}\n`)
    }
  }
  return files
}

describe('readHostDevices', () => {
  it('lists the devices with matching names, their paths without links, and the requested attributes', async () => {
    const files = withDevices({
      '1-1.4:1.0': {},
      '1-1.4': { manufacturer: 'Slotwire', product: 'Serial adapter', serial: 'VSA-0001' },
      '1-1.2.3': { product: 'Stick' },
      '2-1.3': { product: 'elsewhere' },
    })
    files.links.set(`${FOLDER}/1-1.4`, BEHIND_HUB)
    files.fail('realpath', `${FOLDER}/1-1.2.3`, Errno.ENOENT)
    expect(await readHostDevices(files, '/sys', QUERY)).toEqual([
      { name: '1-1.2.3', systemPath: `${FOLDER}/1-1.2.3`, attributes: { product: 'Stick', serial: '' } },
      { name: '1-1.4', systemPath: BEHIND_HUB, attributes: { product: 'Serial adapter', serial: 'VSA-0001' } },
    ])
  })

  it('returns an empty list if the system has no such bus', async () => {
    expect(await readHostDevices(new ScriptedFiles(), '/sys', QUERY)).toEqual([])
  })
})
