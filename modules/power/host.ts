import { compile, servicePath, type ValueOf } from '@slotwire/contract'
import { coreErrors, SlotwireError } from '@slotwire/core'
import type { ModuleHost, PowerSupply, PresentModules, SlotApi } from '@slotwire/driver'
import { powerContract } from './contract.ts'
import { powerErrors } from './errors.ts'
import { getSource, POWER_VENDOR_PRODUCT_ID } from './wire.ts'

const { service, port } = powerContract
const source = powerContract.endpoints.getSource

/**
 * The device's power budget is what its power module says of itself; wire-protocol.md section 4. Undefined without one. In the process with the
 * rack throws `powerModuleNotUsable` while there is one that cannot be asked (it hangs, is being opened, in bootloader mode or of another firmware),
 * `powerModuleElsewhere` where there is one that is left to another program. Over HTTP throws an error that says what is wrong with the reply.
 */
export const powerHost: ModuleHost = {
  vendorProductId: POWER_VENDOR_PRODUCT_ID,
  service,
  port,
  budgetIn: ({ rack, isDriven }) => ({
    read: async (modules) => {
      const [powerModule] = rack.usable(POWER_VENDOR_PRODUCT_ID)
      const supply = powerModule && (await readSupply(powerModule))
      if (supply !== undefined) return supply
      if (slotIn(modules) === undefined) return undefined
      throw isDriven ? powerErrors.powerModuleNotUsable() : powerErrors.powerModuleElsewhere()
    },
  }),
  budgetOverHttp: (getJson) => ({
    read: async (modules) => {
      const slot = slotIn(modules)
      return slot === undefined ? undefined : supplyIn(await getJson(`${servicePath(service)}/${slot}${source.path}`))
    },
  }),
}

/** Undefined when the module has just left. */
async function readSupply(powerModule: SlotApi): Promise<PowerSupply | undefined> {
  try {
    return await powerModule.read('budget', { fresh: false }, (exchange) => exchange(getSource, {}))
  } catch (error) {
    if (error instanceof SlotwireError && error.definition === coreErrors.moduleLost.definition) return undefined
    throw error
  }
}

/** The slot of the power module; undefined where there is none. */
function slotIn(modules: PresentModules): number | undefined {
  return [...modules].find(([, { vendorProductId }]) => vendorProductId === POWER_VENDOR_PRODUCT_ID)?.[0]
}

const problemOf = compile(source.reply, 'its answer')

function supplyIn(reply: unknown): PowerSupply {
  assertReply(reply)
  return {
    source3v3: reply.source_3v3,
    source5v0: reply.source_5v0,
    source12v: reply.source_12v,
    sourceTotal: reply.source_total,
    efficiency3v3: reply.efficiency_factor_3v3,
    efficiency5v0: reply.efficiency_factor_5v0,
    efficiency12v: reply.efficiency_factor_12v,
  }
}

function assertReply(reply: unknown): asserts reply is ValueOf<typeof source.reply> {
  const problem = problemOf(reply)
  if (problem !== undefined) throw new Error(problem)
}
