import { seededRandom } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rack } from '../rack/rack.ts'
import { FakeModule, RELAY } from '../slot/fake-module.testkit.ts'
import { DESCRIPTOR_ATTRIBUTES } from './descriptor-attributes.ts'
import { Errno } from './errno.ts'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { plug } from './scripted-files.testkit.ts'

const FOLDER = '/sys/class/sdbp/slot3'
const HALF_A_SECOND = 500

describe('a module that changes without a new rid', () => {
  let kernel: ScriptedKernel
  let rack: Rack
  beforeEach(() => {
    kernel = new ScriptedKernel()
  })
  afterEach(async () => {
    await rack.stop()
    expect(await kernel.close()).toBe(0)
  })

  const start = async (values: Readonly<Record<string, string>>): Promise<void> => {
    plug(kernel.files, 3, values)
    const module = new FakeModule(kernel.clock)
    kernel.files.slots.set('/dev/slot3', (payload) => module.exchange(payload))
    const backplane = await kernel.start()
    const { clock, log } = kernel
    rack = new Rack({ backplane, clock, random: seededRandom(3), log, types: [RELAY] })
    await rack.start()
  }
  const usable = (): number[] => rack.usable(RELAY).map(({ slot }) => slot)

  it.each([
    ['that leaves its bootloader', 'bootloader_state', '2', '1'],
    ['that becomes a type we drive', 'vendor_product_id', 'example.org/other', RELAY],
    ['that gets supported firmware', 'fw_version', 'S.00002.00000.00000', 'S.00001.00000.00000'],
  ])('is driven within half a second: one %s', async (_, attribute, before, after) => {
    await start({ [attribute]: before })
    await kernel.clock.advance(1000)
    expect(usable()).toEqual([])
    kernel.files.contents.set(`${FOLDER}/${attribute}`, `${after}\0`)
    await kernel.clock.advance(HALF_A_SECOND)
    expect(usable()).toEqual([3])
  })

  it('stays driven while its attributes change, fail and recover', async () => {
    await start({})
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
