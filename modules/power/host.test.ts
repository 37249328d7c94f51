import type { ModuleDescriptor } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { FakeSlot, fakeDescriptor } from '../../packages/service/src/fake-slot.testkit.ts'
import { powerHost } from './host.ts'
import { POWER_VENDOR_PRODUCT_ID } from './wire.ts'

const SUPPLY = {
  source3v3: 1,
  source5v0: 2,
  source12v: 3,
  sourceTotal: 4,
  efficiency3v3: 90,
  efficiency5v0: 90,
  efficiency12v: 100,
}
const powerModule: ModuleDescriptor = { ...fakeDescriptor, vendorProductId: POWER_VENDOR_PRODUCT_ID }

/** Reads the budget of a device with these usable power modules, and with modules with these descriptors from slot 0 on. */
function read(usable: FakeSlot[], ...descriptors: ModuleDescriptor[]) {
  return powerHost.budgetIn({ rack: { usable: () => usable }, isDriven: true }).read(new Map(descriptors.entries()))
}

describe('the power budget', () => {
  it('is what the power module reports', async () => {
    const slot = new FakeSlot(1, POWER_VENDOR_PRODUCT_ID)
    slot.script = { SOURCE: SUPPLY }
    expect(await read([slot], fakeDescriptor, powerModule)).toEqual(SUPPLY)
  })

  it('is undefined without a power module', async () => {
    expect(await read([], fakeDescriptor)).toBeUndefined()
  })

  it.each<[string, ModuleDescriptor]>([
    ['hangs', powerModule],
    ['is in bootloader mode', { ...powerModule, bootloaderState: 'in bootloader mode' }],
    [
      'has firmware of another generation',
      { ...powerModule, firmware: { stability: 'S', version: { major: 2, minor: 0, patch: 0 } } },
    ],
  ])('is unknown while the power module %s', async (_, descriptor) => {
    await expect(read([], fakeDescriptor, descriptor)).rejects.toMatchObject({ status: 500, code: 'power-module-not-usable' })
  })

  it('is unknown while another program drives the power module', async () => {
    const budget = powerHost.budgetIn({ rack: { usable: () => [] }, isDriven: false })
    const modules = new Map([[1, powerModule]])
    await expect(budget.read(modules)).rejects.toMatchObject({ status: 500, code: 'power-module-elsewhere' })
  })
})
