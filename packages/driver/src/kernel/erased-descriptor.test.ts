import { LinkError } from '@slotwire/core'
import { encodeRequest, updateDescriptor } from '@slotwire/sdbp'
import { beforeEach, describe, expect, it } from 'vitest'
import { usable } from '../rack/rack.testkit.ts'
import { RELAY } from '../slot/fake-module.testkit.ts'
import { DESCRIPTOR_ATTRIBUTES } from './descriptor-attributes.ts'
import { type ScriptedKernel, startedKernel, startedRack } from './kernel-backplane.testkit.ts'
import { Errno } from './kernel-files.ts'
import { plug } from './scripted-files.testkit.ts'

const DEVICE = '/dev/slot3'
const ERASED = { vendor_product_id: '', vendor_name: '', product_name: '' }
const update = encodeRequest(updateDescriptor, {})

describe('a descriptor that the kernel could not read, and erased', () => {
  let kernel: ScriptedKernel
  beforeEach(async () => {
    kernel = await startedKernel(3, 5)
  })

  const readers = {
    'its descriptor': async () => kernel.backplane.descriptor(3),
    'the power descriptors': async () => (await kernel.backplane.powerDescriptors()).get(3),
  }
  const openings = (): number => kernel.files.calls.filter((call) => call === `open ${DEVICE}`).length

  it.each(Object.entries(readers))(
    'is read again for %s by opening and closing the file of an unused module',
    async (_, read) => {
      plug(kernel.files, 3, ERASED)
      kernel.files.onClose = () => plug(kernel.files, 3)
      expect(await read()).toMatchObject({ vendorProductId: 'example.org/relay' })
      expect(kernel.files.calls).toEqual([`open ${DEVICE}`, `close ${DEVICE}`])
      expect(kernel.files.isRead('/sys/class/sdbp/slot3/notification')).toBe(false)
    },
  )

  it.each(Object.entries(readers))(
    'is read again for %s by UPDATE_DESCRIPTOR for a module in use: a close would suspend it',
    async (_, read) => {
      const sent: Uint8Array[] = []
      let running = 0
      kernel.files.slots.set(DEVICE, async (payload) => {
        expect(++running).toBe(1)
        sent.push(payload)
        await kernel.clock.sleep(5)
        running--
        if (Buffer.from(update).equals(payload)) plug(kernel.files, 3)
        return payload
      })
      const link = await kernel.backplane.open(3)
      plug(kernel.files, 3, ERASED)
      const other = link.exchange(Uint8Array.of(3, 1, 2))
      const found = read()
      await kernel.clock.advance(20)
      expect(await found).toMatchObject({ vendorProductId: 'example.org/relay' })
      await other
      expect(sent).toEqual([Uint8Array.of(3, 1, 2), update])
      expect(kernel.files.calls).toEqual([`open ${DEVICE}`])
    },
  )

  it('is tried again after growing pauses, at most 30 s, and at once for the next module', async () => {
    plug(kernel.files, 3, ERASED)
    const counts = []
    for (let atMs = 0; atMs < 120_000; atMs += 200) {
      if (atMs % 10_000 === 0) counts.push(openings())
      await expect(kernel.backplane.descriptor(3)).rejects.toBeInstanceOf(LinkError)
      await kernel.clock.advance(200)
    }
    expect(counts).toEqual([0, 5, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9])
    plug(kernel.files, 3, { ...ERASED, rid: '42' })
    await kernel.clock.advance(200)
    await expect(kernel.backplane.descriptor(3)).rejects.toBeInstanceOf(LinkError)
    expect(openings()).toBe(10)
  })

  it('is left as it is while another program uses the module', async () => {
    plug(kernel.files, 3, ERASED)
    kernel.files.fail('open', DEVICE, Errno.EBUSY)
    await expect(kernel.backplane.descriptor(3)).rejects.toMatchObject({
      failure: 'transfer-failed',
      message: 'slot 3: vendor_product_id reads "", which is invalid',
    })
    expect(kernel.files.calls).toEqual([`open ${DEVICE}`])
  })
})

const FOLDER = '/sys/class/sdbp/slot3'
const HALF_A_SECOND = 500

describe('a module that changes without a new rid', () => {
  const start = async (values: Readonly<Record<string, string>>) => {
    const kernel = await startedKernel(3)
    plug(kernel.files, 3, values)
    return { kernel, rack: await startedRack(kernel) }
  }

  it.each([
    ['that leaves its bootloader', 'bootloader_state', '2', '1'],
    ['that becomes a type we drive', 'vendor_product_id', 'example.org/other', RELAY],
    ['that gets supported firmware', 'fw_version', 'S.00002.00000.00000', 'S.00001.00000.00000'],
  ])('is driven within half a second: one %s', async (_, attribute, before, after) => {
    const { kernel, rack } = await start({ [attribute]: before })
    await kernel.clock.advance(1000)
    expect(usable(rack)).toEqual([])
    kernel.files.contents.set(`${FOLDER}/${attribute}`, `${after}\0`)
    await kernel.clock.advance(HALF_A_SECOND)
    expect(usable(rack)).toEqual([3])
  })

  it('stays driven while its attributes change, fail and recover', async () => {
    const { kernel, rack } = await start({})
    const driven = rack.find(3, RELAY)
    for (const attribute of DESCRIPTOR_ATTRIBUTES) {
      kernel.files.fail('read', `${FOLDER}/${attribute}`, attribute < 'n' ? Errno.EAGAIN : Errno.EIO, 50)
      kernel.files.contents.set(`${FOLDER}/${attribute}`, '2\0')
    }
    await kernel.clock.advance(10_000)
    expect(rack.find(3, RELAY)).toBe(driven)
    expect(kernel.files.calls).toEqual(['open /dev/slot3'])
  })
})
