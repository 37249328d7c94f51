import type { PowerSource, Rack } from '@slotwire/driver'
import { getSource, POWER_VENDOR_PRODUCT_ID } from './wire.ts'

/** The device's power budget is what its power module says of itself; wire-protocol.md section 4. */
export function powerModuleBudget(rack: Pick<Rack, 'usable'>): PowerSource {
  return {
    read: async () => {
      const [powerModule] = rack.usable(POWER_VENDOR_PRODUCT_ID)
      return powerModule?.read('budget', { fresh: false }, (exchange) => exchange(getSource, {}))
    },
  }
}
