import type { Log } from '@slotwire/core'
import type { Rack } from '../rack/rack.ts'
import type { PowerSource } from './built-in-arbiter.ts'

/** Host part of a module type: provides the power budget of the device. */
export interface ModuleHost {
  readonly vendorProductId: string
  /** Service name, and its loopback port when a device serves this type alone. */
  readonly service: string
  readonly port: number
  /** Budget, read by the driver. `isDriven`: `rack` drives modules of this type. While the module does not answer, its last budget counts. */
  budgetIn(options: {
    readonly rack: Pick<Rack, 'usable' | 'inventory' | 'subscribe'>
    readonly isDriven: boolean
    readonly log: Log
  }): PowerSource
  /** Budget, read from the service in another process. `getJson` resolves with the reply to a GET of a path. */
  budgetOverHttp(getJson: (path: string) => Promise<unknown>): PowerSource
}
