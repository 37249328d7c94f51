import { coreErrors, type ModuleDescriptor, silentLog } from '@slotwire/core'
import type { SlotInventory } from '@slotwire/driver'
import { describe, expect, it } from 'vitest'
import { FakeSlot, fakeDescriptor } from '../../packages/service/src/fake-slot.testkit.ts'
import { powerHost } from './host.ts'
import { POWER_VENDOR_PRODUCT_ID } from './wire.ts'

const SUPPLY = {
  source_3v3: 1,
  source_5v0: 2,
  source_12v: 3,
  source_total: 4,
  efficiency_factor_3v3: 90,
  efficiency_factor_5v0: 90,
  efficiency_factor_12v: 100,
}
const powerModule: ModuleDescriptor = { ...fakeDescriptor, vendorProductId: POWER_VENDOR_PRODUCT_ID }

const budgetOf = (usable: () => FakeSlot[], isDriven: boolean, silentMs?: number) => {
  const rack = { usable, inventory: () => [{ slot: 1, silentMs } as SlotInventory], subscribe: () => () => undefined }
  return powerHost.budgetIn({ rack, isDriven, log: silentLog })
}

/** Reads the budget of a device with these usable power modules, and with modules with these descriptors from slot 0 on. */
function read(usable: FakeSlot[], ...descriptors: ModuleDescriptor[]) {
  return budgetOf(() => usable, true)(new Map(descriptors.entries()))
}

describe('the power budget', () => {
  it('is what the power module reports', async () => {
    const slot = new FakeSlot(1, POWER_VENDOR_PRODUCT_ID)
    slot.script = { SOURCE: SUPPLY }
    expect(await read([slot], fakeDescriptor, powerModule)).toEqual(SUPPLY)
  })

  it('is undefined without a power module', async () => expect(await read([], fakeDescriptor)).toBeUndefined())

  it.each<[string, ModuleDescriptor]>([
    ['hangs', powerModule],
    ['is in bootloader mode', { ...powerModule, bootloaderState: 'in bootloader mode' }],
    [
      'has firmware of another generation',
      { ...powerModule, firmware: { stability: 'S', version: { major: 2, minor: 0, patch: 0 } } },
    ],
  ])('is unknown while the power module %s', (_, descriptor) =>
    expect(read([], fakeDescriptor, descriptor)).rejects.toMatchObject({ status: 500, code: 'power-module-not-usable' }),
  )

  it('is the last one while the power module does not answer', async () => {
    const slot = new FakeSlot(1, POWER_VENDOR_PRODUCT_ID)
    slot.script = { SOURCE: SUPPLY }
    const usable = [slot]
    const budget = budgetOf(() => usable, true, 2000)
    const modules = new Map([[1, powerModule]])
    expect(await budget(modules)).toEqual(SUPPLY)
    slot.script = { SOURCE: coreErrors.moduleHung({ slot: 1, outcome: '' }) }
    expect(await budget(modules)).toEqual(SUPPLY)
    usable.pop()
    expect(await budget(modules)).toEqual(SUPPLY)
    expect(await budget(new Map())).toBeUndefined()
  })

  it('is unknown while another program drives the power module', async () => {
    const budget = budgetOf(() => [], false)
    const modules = new Map([[1, powerModule]])
    await expect(budget(modules)).rejects.toMatchObject({ status: 500, code: 'power-module-elsewhere' })
  })
})
