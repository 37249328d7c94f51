import type { Backplane, Clock } from '@slotwire/core'
import type { Chassis } from '@slotwire/twin'
import { kernelWorld } from '../kernel/kernel-world.testkit.ts'

/** A backplane for a chassis, and how to remove it. */
export interface Connected {
  readonly backplane: Backplane
  /** Resolves when no message is in transit, if messages need real time. */
  readonly settled?: () => Promise<void>
  /** Resolves when the backplane has detected plugged and unplugged modules; undefined: it has. */
  readonly noticed?: () => Promise<void> | undefined
  close(): Promise<void>
}

/** A connection from the driver to the modules. The tests are the same in every world; the chassis always simulates the surroundings. */
export interface World {
  readonly name: string
  /** The chassis is not switched on yet. */
  connect(chassis: Chassis, clock: Clock): Promise<Connected>
}

const twinWorld: World = { name: 'twin', connect: async (chassis) => ({ backplane: chassis, close: async () => undefined }) }
const everyWorld: readonly World[] = [twinWorld, kernelWorld]
const chosen = process.env['SLOTWIRE_WORLDS']?.split(',') ?? [twinWorld.name]

for (const name of chosen) if (everyWorld.every((world) => world.name !== name)) throw new Error(`SLOTWIRE_WORLDS: no ${name}`)

/** The worlds in which the device's tests run; `SLOTWIRE_WORLDS=twin,kernel` selects them. */
export const worlds: readonly World[] = everyWorld.filter(({ name }) => chosen.includes(name))
