import { beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedKernel, startedKernel } from './kernel-backplane.testkit.ts'
import { Errno } from './kernel-files.ts'
import { plug } from './scripted-files.testkit.ts'
import { SCAN_INTERVAL_MS } from './slot-folders.ts'

const FOLDER = '/sys/class/sdbp/slot3'

describe('the descriptor of a slot', () => {
  let kernel: ScriptedKernel
  beforeEach(async () => {
    kernel = await startedKernel(3)
  })

  it('contains each value without the NUL at its end', async () => {
    expect(await kernel.backplane.descriptor(3)).toEqual({
      vendorProductId: 'example.org/relay',
      vendorName: 'Example',
      productName: 'relay',
      serialCode: '0123-4567-89AB-CDEF-0000-0000-0000-0001',
      firmware: { stability: 'S', version: { major: 1, minor: 2, patch: 3 } },
      hardwareVersion: { major: 1, minor: 0, patch: 10 },
      protocolVersion: { major: 1, minor: 0, patch: 0 },
      bootloaderState: 'supported',
      maxFrameSize: 4096,
      maxSclkSpeedKhz: 16_000,
      maxPower3v3: 100,
      maxPower5v0: 2500,
      maxPower12v: 0,
    })
  })

  it.each([
    ['0', 'not supported'],
    ['2', 'in bootloader mode'],
  ])('takes bootloader_state %s for "%s"', async (value, expected) => {
    plug(kernel.files, 3, { bootloader_state: value })
    expect(await kernel.backplane.descriptor(3)).toMatchObject({ bootloaderState: expected })
  })

  it.each([
    ['fw_version', 'X.00001.00000.00000'],
    ['fw_version', '00001.00000.00000'],
    ['hw_version', '1.0'],
    ['serial_code', '0123'],
    ['bootloader_state', '7'],
    ['bootloader_state', 'constructor'],
    ['bootloader_state', '__proto__'],
    ['max_power_12v', '-1'],
    ['max_frame_size', ''],
  ])('is refused with the name of the invalid attribute: %s %j', async (name, value) => {
    plug(kernel.files, 3, { [name]: value })
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({
      failure: 'transfer-failed',
      message: `slot 3: ${name} reads ${JSON.stringify(value)}, which is invalid`,
    })
  })

  it.each(['EAGAIN', 'EIO'] as const)(
    'is read again while it is being updated (%s): up to 20 times, 100 ms apart',
    async (name) => {
      kernel.files.fail('read', `${FOLDER}/fw_version`, Errno[name], 19)
      const reading = kernel.backplane.descriptor(3)
      await kernel.clock.advance(1900)
      expect(await reading).toMatchObject({ productName: 'relay' })
    },
  )

  it('fails when the update takes longer', async () => {
    kernel.files.fail('read', `${FOLDER}/fw_version`, Errno.EAGAIN, 20)
    const reading = expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({
      failure: 'transfer-failed',
      message: `read ${FOLDER}/fw_version: EAGAIN, 20 times, 100 ms apart`,
    })
    await kernel.clock.advance(1900)
    await reading
  })

  it('reports a module that left, also while it is being read', async () => {
    kernel.files.fail('read', `${FOLDER}/fw_version`, Errno.EAGAIN, 20)
    const reading = expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({ failure: 'gone' })
    await kernel.clock.advance(100)
    kernel.files.remove(FOLDER)
    await kernel.clock.advance(200)
    await reading
  })

  it('does not report a lost module when an attribute is missing while the module is there', async () => {
    kernel.files.contents.delete(`${FOLDER}/hw_version`)
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({
      failure: 'transfer-failed',
      message: `slot 3: open ${FOLDER}/hw_version: ENOENT`,
    })
  })

  it('is read once for callers that wait together, and never before the call', async () => {
    const first = kernel.backplane.descriptor(3)
    plug(kernel.files, 3, { product_name: 'newer' })
    const [second, third] = [kernel.backplane.descriptor(3), kernel.backplane.descriptor(3)]
    await first
    expect(await second).toMatchObject({ productName: 'newer' })
    expect(await third).toBe(await second)
  })
})

describe('a module with an attribute whose read never ends', () => {
  let kernel: ScriptedKernel
  let read: ScriptedKernel['files']['read']
  beforeEach(async () => {
    kernel = await startedKernel(3)
    read = kernel.files.read.bind(kernel.files)
  })

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
