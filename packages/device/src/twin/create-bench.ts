import * as firmwares from '@slotwire/modules/firmwares'
import { Bench, type Chassis } from '@slotwire/twin'

/** Bench of a virtual device; accepts all module types. */
export function createBench(chassis: Chassis): Bench {
  return new Bench({ chassis, moduleTypes: { ...firmwares } })
}
