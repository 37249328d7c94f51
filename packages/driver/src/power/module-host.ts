import type { Rack } from '../rack/rack.ts'
import type { PowerSource } from './built-in-arbiter.ts'

/** What a module type does for the whole device: its modules say how much power there is. */
export interface ModuleHost {
  readonly vendorProductId: string
  /** Name of the service of these modules, and the port of loopback at which a device has it alone. */
  readonly service: string
  readonly port: number
  /** The budget as the module says it to its driver. `isDriven`: whether `rack` drives modules of this type. */
  budgetIn(options: { readonly rack: Pick<Rack, 'usable'>; readonly isDriven: boolean }): PowerSource
  /** The budget as that service says it, in another process: `getJson` resolves with the reply to a GET of a path there. */
  budgetOverHttp(getJson: (path: string) => Promise<unknown>): PowerSource
}
