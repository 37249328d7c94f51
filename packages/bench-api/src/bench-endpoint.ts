import { reads, writes } from '@slotwire/contract'
import type { ModuleCatalog, ScenarioWorld } from '@slotwire/scenario'
import { mostPins, SLOT_COUNT } from '@slotwire/twin'

export const ROOT = '/slotwire/bench'
const spec = 'an extension of the project, for virtual devices'

/** What endpoints of the bench that only look have in common. */
export const looks = { ...reads, spec } as const
/** What those that change something have in common. */
export const does = { ...writes, spec } as const

const slot = { description: 'number of a slot', min: 0, max: SLOT_COUNT - 1 }

/** Pins are there as far as any of these module types has some. */
export const pinBounds = (catalog: ModuleCatalog) => ({
  min: 1,
  max: mostPins(Object.values(catalog).map(({ firmware }) => firmware)),
})

/** Path parameters, with an example that works on the default twin. */
export const atSlot = <const Example extends number>(example: Example) => ({ slot: { ...slot, example } })
export const atPin = (catalog: ModuleCatalog) => ({
  ...atSlot(3),
  pin: { description: 'number of a pin', ...pinBounds(catalog), example: 1 },
})
export const atNumber = (of: string, example: number) => ({
  number: { description: `number of a ${of}`, min: 1, max: Number.MAX_SAFE_INTEGER, example },
})

/** A virtual device with what is around it, as far as its bench goes. */
export type BenchedDevice = Pick<ScenarioWorld, 'clock' | 'bench' | 'request'>

export const success = { status: 'success' } as const
