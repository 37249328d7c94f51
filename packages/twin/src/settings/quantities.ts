import { HIGHEST_SEED, wholeNumber } from '@slotwire/core'
import type { NumberField } from './field.ts'

type Bounds = Partial<Pick<NumberField, 'min' | 'max' | 'default' | 'example'>>

/** Bounds of voltages on the bench: far above what a pin survives. */
const MAX_VOLTS = 1000
const MAX_OHMS = 1e9

/** Highest frequency of a waveform, in Hz. */
export const MAX_FREQUENCY_HZ = 10_000_000
const MIN_FREQUENCY_HZ = 1e-6

export function inVolts(meaning: string, bounds: Bounds = {}): NumberField {
  return { type: 'number', meaning, unit: 'V', min: -MAX_VOLTS, max: MAX_VOLTS, example: 5, ...bounds }
}

export function inOhms(meaning: string, bounds: Bounds = {}): NumberField {
  return { type: 'number', meaning, unit: 'Ω', min: 0, max: MAX_OHMS, example: 1000, ...bounds }
}

export function inHertz(meaning: string): NumberField {
  return { type: 'number', meaning, unit: 'Hz', min: MIN_FREQUENCY_HZ, max: MAX_FREQUENCY_HZ, example: 100 }
}

export function inMs(meaning: string, bounds: Required<Pick<NumberField, 'min' | 'max'>> & Bounds): NumberField {
  return { type: 'number', meaning, unit: 'ms', example: 100, ...bounds }
}

export function asShare(meaning: string, bounds: Bounds = {}): NumberField {
  return { type: 'number', meaning, unit: '', min: 0, max: 1, example: 0.1, ...bounds }
}

/** Seed of a random sequence. An element that is connected without one gets its own. */
export const seedField: NumberField = {
  ...wholeNumber(0, HIGHEST_SEED),
  meaning:
    "the same seed gives the same random values; without it, the seed follows from the twin's seed, the pin and the element",
  isDerived: true,
}
/** Seed of an element without one that is not connected to a pin. */
export const UNCONNECTED_SEED = 1
