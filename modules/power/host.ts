import { compile, servicePath, type ValueOf } from '@slotwire/contract'
import { coreErrors, SlotwireError } from '@slotwire/core'
import type { ModuleHost, PowerSupply, PresentModules, SlotApi } from '@slotwire/driver'
import { powerContract } from './contract.ts'
import { powerErrors } from './errors.ts'
import { getSource, POWER_VENDOR_PRODUCT_ID } from './wire.ts'

const { service, port } = powerContract
const source = powerContract.endpoints.getSource

/**
 * Reads the device's power budget from its power module; wire-protocol.md section 4. Undefined without a power module. In the driver's process it
 * throws `powerModuleNotUsable` if the module has never answered or is in bootloader mode, and `powerModuleElsewhere` if another program drives
 * it. Over HTTP it throws if the reply is invalid.
 */
export const powerHost: ModuleHost = {
  vendorProductId: POWER_VENDOR_PRODUCT_ID,
  service,
  port,
  budgetIn: ({ rack, isDriven, log }) => {
    let last: PowerSupply | undefined
    const readUsable = async (): Promise<PowerSupply | undefined> => {
      const [powerModule] = rack.usable(POWER_VENDOR_PRODUCT_ID)
      const supply = powerModule && (await readSupply(powerModule))
      last = supply ?? last
      return supply
    }
    rack.subscribe((event) => {
      if (event.type !== 'arrived' || event.slot.vendorProductId !== POWER_VENDOR_PRODUCT_ID) return
      readUsable().catch((error: unknown) => log.debug({ err: error }, 'the power budget could not be read yet'))
    })
    return async (modules) => {
      const supply = await readUsable()
      if (supply !== undefined) return supply
      const slot = slotIn(modules)
      if (slot === undefined) return undefined
      const isSilent = rack.inventory().some((occupied) => occupied.slot === slot && occupied.silentMs !== undefined)
      if (!isSilent || last === undefined)
        throw isDriven ? powerErrors.powerModuleNotUsable() : powerErrors.powerModuleElsewhere()
      log.warn({ slot }, 'the power module does not answer: its last budget counts')
      return last
    }
  },
  budgetOverHttp: (getJson) => async (modules) => {
    const slot = slotIn(modules)
    return slot === undefined ? undefined : supplyIn(await getJson(`${servicePath(service)}/${slot}${source.path}`))
  },
}

const NOT_USABLE = [coreErrors.moduleLost.definition, coreErrors.moduleHung.definition]

/** Undefined if the module was just unplugged, or does not answer. */
async function readSupply(powerModule: SlotApi): Promise<PowerSupply | undefined> {
  try {
    return await powerModule.read('budget', { fresh: false }, (exchange) => exchange(getSource, {}))
  } catch (error) {
    if (error instanceof SlotwireError && NOT_USABLE.includes(error.definition)) return undefined
    throw error
  }
}

/** Slot of the power module; undefined without one. */
function slotIn(modules: PresentModules): number | undefined {
  return [...modules].find(([, { vendorProductId }]) => vendorProductId === POWER_VENDOR_PRODUCT_ID)?.[0]
}

const problemOf = compile(source.reply, 'its answer')

function supplyIn(reply: unknown): PowerSupply {
  const problem = problemOf(reply)
  if (problem !== undefined) throw new Error(problem)
  return reply as ValueOf<typeof source.reply>
}
