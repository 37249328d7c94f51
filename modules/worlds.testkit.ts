import type { Backplane } from '@slotwire/core'
import type { Chassis } from '@slotwire/twin'

/** A way from the driver to the modules. The suite is the same in every world; what is outside the modules is always the chassis'. */
export interface World {
  readonly name: string
  /** Puts a backplane in front of the chassis, which is not yet switched on. */
  connect(chassis: Chassis): Backplane
}

/** The worlds in which the device's tests run: one line for each. */
export const worlds: readonly World[] = [{ name: 'twin', connect: (chassis) => chassis }]
