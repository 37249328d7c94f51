import { coreErrors, SlotwireError } from '@slotwire/core'
import type { PowerSource, PowerSupply, PresentModules, Rack, SlotApi } from '@slotwire/driver'
import { powerErrors } from './errors.ts'
import { getSource, POWER_VENDOR_PRODUCT_ID } from './wire.ts'

export interface PowerModuleBudgetOptions {
  readonly rack: Pick<Rack, 'usable'>
  /** Whether the rack drives power modules. */
  readonly isDriven: boolean
}

/**
 * The device's power budget is what its power module says of itself; wire-protocol.md section 4. Undefined without one; throws
 * `powerModuleNotUsable` while there is one that cannot be asked (it hangs, is being opened, in bootloader mode or of another firmware),
 * `powerModuleElsewhere` where there is one that is left to another program.
 */
export function powerModuleBudget({ rack, isDriven }: PowerModuleBudgetOptions): PowerSource {
  return {
    read: async (modules) => {
      const [powerModule] = rack.usable(POWER_VENDOR_PRODUCT_ID)
      const supply = powerModule && (await supplyOf(powerModule))
      if (supply !== undefined) return supply
      if (slotOfPowerModule(modules) === undefined) return undefined
      throw isDriven ? powerErrors.powerModuleNotUsable() : powerErrors.powerModuleElsewhere()
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

/** The slot of the power module; undefined where there is none. */
export function slotOfPowerModule(modules: PresentModules): number | undefined {
  return [...modules].find(([, { vendorProductId }]) => vendorProductId === POWER_VENDOR_PRODUCT_ID)?.[0]
}
