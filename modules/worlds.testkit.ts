import type { Backplane } from '@slotwire/core'
import type { Chassis } from '@slotwire/twin'

/** A backplane in front of a chassis, and how to take it away again. */
export interface Connected {
  readonly backplane: Backplane
  close(): Promise<void>
}

/** A way from the driver to the modules. The suite is the same in every world; what is outside the modules is always the chassis'. */
export interface World {
  readonly name: string
  /** The chassis is not yet switched on. */
  connect(chassis: Chassis): Promise<Connected>
}

/** The worlds in which the device's tests run: one line for each. */
export const worlds: readonly World[] = [
  { name: 'twin', connect: async (chassis) => ({ backplane: chassis, close: async () => undefined }) },
]
