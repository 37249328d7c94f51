import type { Backplane, Clock } from '@slotwire/core'
import type { Chassis } from '@slotwire/twin'
import { kernelWorld } from '../kernel/kernel-world.testkit.ts'

/** A backplane in front of a chassis, and how to take it away again. */
export interface Connected {
  readonly backplane: Backplane
  /** Resolves when nothing is on its way to or from the modules, where that takes other time than the tests'. */
  readonly settled?: () => Promise<void>
  /** Resolves when the backplane has noticed who came to the chassis and who went; undefined: it has. */
  readonly noticed?: () => Promise<void> | undefined
  close(): Promise<void>
}

/** A way from the driver to the modules. The suite is the same in every world; what is outside the modules is always the chassis'. */
export interface World {
  readonly name: string
  /** The chassis is not yet switched on. */
  connect(chassis: Chassis, clock: Clock): Promise<Connected>
}

const twinWorld: World = { name: 'twin', connect: async (chassis) => ({ backplane: chassis, close: async () => undefined }) }
const everyWorld: readonly World[] = [twinWorld, kernelWorld]
const chosen = process.env['SLOTWIRE_WORLDS']?.split(',') ?? [twinWorld.name]

for (const name of chosen) if (everyWorld.every((world) => world.name !== name)) throw new Error(`SLOTWIRE_WORLDS: no ${name}`)

/** The worlds in which the device's tests run; `SLOTWIRE_WORLDS=twin,kernel` chooses them. */
export const worlds: readonly World[] = everyWorld.filter(({ name }) => chosen.includes(name))
