import * as firmwares from '@slotwire/modules/firmwares'
import { type Bench, type Chassis, createBench } from '@slotwire/twin'

/** The bench around a virtual device: every module type there is can be plugged. */
export function benchOf(chassis: Chassis): Bench {
  return createBench({ chassis, moduleTypes: { ...firmwares } })
}
