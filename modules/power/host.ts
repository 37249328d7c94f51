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
 * throws `powerModuleNotUsable` if the module does not answer or is in bootloader mode, and `powerModuleElsewhere` if another program drives
 * it. Over HTTP it throws if the reply is invalid.
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

/** Undefined if the module was just unplugged. */
async function readSupply(powerModule: SlotApi): Promise<PowerSupply | undefined> {
  try {
    return await powerModule.read('budget', { fresh: false }, (exchange) => exchange(getSource, {}))
  } catch (error) {
    if (error instanceof SlotwireError && error.definition === coreErrors.moduleLost.definition) return undefined
    throw error
  }
}

/** Slot of the power module; undefined without one. */
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
