import { reads, writes } from '@slotwire/contract'
import type { ModuleCatalog, ScenarioWorld } from '@slotwire/scenario'
import { maxPins, SLOT_COUNT } from '@slotwire/twin'

export const ROOT = '/slotwire/bench'
const spec = 'an extension of the project, for virtual devices'

/** Common properties of reading endpoints. */
export const benchRead = { ...reads, spec } as const
/** Common properties of changing endpoints. */
export const benchWrite = { ...writes, spec } as const

const slot = { description: 'number of a slot', min: 0, max: SLOT_COUNT - 1 }

/** Bounds of pin numbers over all module types. */
export const pinBounds = (catalog: ModuleCatalog) => ({
  min: 1,
  max: maxPins(Object.values(catalog).map(({ firmware }) => firmware)),
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

/** The parts of a virtual device that the bench API needs. */
export type DeviceWithBench = Pick<ScenarioWorld, 'clock' | 'bench' | 'journal' | 'request'>

/** The time of a virtual device, for the bench. */
export interface BenchTime {
  /** Twin time, in ms. */
  now(): number
  /** Multiple of real time: 1 for real time, 0 to pause. Throws `RangeError` for an invalid pace. */
  pace: number
  /** Advances a paused clock by `ms`; resolves when everything due until then has happened. Throws `RangeError` if the clock runs. */
  step(ms: number): Promise<void>
}

export const success = { status: 'success' } as const
