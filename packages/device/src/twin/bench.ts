import * as firmwares from '@slotwire/modules/firmwares'
import { type Bench, type Chassis, createBench } from '@slotwire/twin'

/** Bench of a virtual device; accepts all module types. */
export function benchOf(chassis: Chassis): Bench {
  return createBench({ chassis, moduleTypes: { ...firmwares } })
}
