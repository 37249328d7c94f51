import { reads, writes } from '@slotwire/contract'
import { SLOT_COUNT } from '@slotwire/core'
import type { ModuleCatalog, ScenarioWorld } from '@slotwire/scenario'
import { type Bench, type ModuleTypes, maxPins } from '@slotwire/twin'

export const ROOT = '/slotwire/bench'
const spec = 'an extension of the project, for virtual devices'

/** Common properties of reading endpoints. */
export const benchRead = { ...reads, spec } as const
/** Common properties of changing endpoints. */
export const benchWrite = { ...writes, spec } as const

/** Bounds of pin numbers over all module types. */
export const pinBounds = (catalog: ModuleCatalog) => ({
  min: 1,
  max: maxPins(Object.values(moduleTypes(catalog))),
})

/** The firmware of each module type. */
export function moduleTypes(catalog: ModuleCatalog): ModuleTypes {
  return Object.fromEntries(Object.entries(catalog).map(([name, { firmware }]) => [name, firmware]))
}

/** Path parameters, with an example that works on the default twin. */
export const atPin = (catalog: ModuleCatalog) => ({
  slot: { description: 'number of a slot', min: 0, max: SLOT_COUNT - 1, example: 3 },
  pin: { description: 'number of a pin', ...pinBounds(catalog), example: 1 },
})

/** The parts of a virtual device that the bench API needs. */
export type DeviceWithBench = Pick<ScenarioWorld, 'clock' | 'journal' | 'request'> & { readonly bench: Bench }

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

/** Digits after the decimal point in replies: of volts, milliampere and milliseconds. */
const DIGITS = 6

/** Rounds away the noise of binary fractions. */
export function rounded(value: number): number {
  return Number(value.toFixed(DIGITS))
}
