import { type Backplane, coreErrors, LinkError, SlotwireError } from '@slotwire/core'
import type { PowerSource, PowerSupply, Rack, SlotApi } from '@slotwire/driver'
import { powerErrors } from './errors.ts'
import { getSource, POWER_VENDOR_PRODUCT_ID } from './wire.ts'

export interface PowerModuleBudgetOptions {
  readonly rack: Pick<Rack, 'usable'>
  readonly backplane: Pick<Backplane, 'present' | 'descriptor'>
  /** Whether the rack drives power modules. */
  readonly isDriven: boolean
}

/**
 * The device's power budget is what its power module says of itself; wire-protocol.md section 4. Undefined without one; throws
 * `powerModuleNotUsable` while there is one that cannot be asked (it hangs, is being opened, in bootloader mode or of another firmware),
 * `powerModuleElsewhere` where there is one that is left to another program.
 */
export function powerModuleBudget({ rack, backplane, isDriven }: PowerModuleBudgetOptions): PowerSource {
  return {
    read: async () => {
      const [powerModule] = rack.usable(POWER_VENDOR_PRODUCT_ID)
      const supply = powerModule && (await supplyOf(powerModule))
      if (supply !== undefined) return supply
      const isPowerModule = await Promise.all(backplane.present().map((slot) => holdsPowerModule(slot, backplane)))
      if (isPowerModule.includes(true)) throw isDriven ? powerErrors.powerModuleNotUsable() : powerErrors.powerModuleElsewhere()
      return undefined
    },
  }
}

/** Undefined when the module has just left. */
async function supplyOf(powerModule: SlotApi): Promise<PowerSupply | undefined> {
  try {
    return await powerModule.read('budget', { fresh: false }, (exchange) => exchange(getSource, {}))
  } catch (error) {
    if (error instanceof SlotwireError && error.definition === coreErrors.moduleLost.definition) return undefined
    throw error
  }
}

async function holdsPowerModule(slot: number, backplane: Pick<Backplane, 'descriptor'>): Promise<boolean> {
  try {
    return (await backplane.descriptor(slot)).vendorProductId === POWER_VENDOR_PRODUCT_ID
  } catch (error) {
    // Who has left is none. Any other failure must not pass for power without a limit.
    if (error instanceof LinkError && error.failure === 'gone') return false
    throw powerErrors.powerModuleNotUsable({ cause: error })
  }
}
