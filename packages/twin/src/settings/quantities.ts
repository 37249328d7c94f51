import { type Bounds, type DecimalSchema, decimal, integer } from '@slotwire/contract'
import { MAX_SEED } from '@slotwire/core'

type Options = Omit<Bounds, 'unit'> & { readonly examples?: readonly number[] | undefined }

/** Bounds of voltages on the bench: far above what a pin survives. */
const MAX_VOLTS = 1000
const MAX_OHMS = 1e9

/** Highest frequency of a waveform, in Hz. */
export const MAX_FREQUENCY_HZ = 10_000_000
const MIN_FREQUENCY_HZ = 1e-6

/** A number of a unit. */
const quantity =
  (unit: string | undefined, usual: Options) =>
  (description: string, options: Options = {}): DecimalSchema =>
    decimal({ unit, ...usual, ...options, description })

export const inVolts = quantity('V', { min: -MAX_VOLTS, max: MAX_VOLTS, examples: [5] })
export const inOhms = quantity('Ω', { min: 0, max: MAX_OHMS, examples: [1000] })
export const inHertz = quantity('Hz', { min: MIN_FREQUENCY_HZ, max: MAX_FREQUENCY_HZ, examples: [100] })
export const inMs = quantity('ms', { examples: [100] })
export const asShare = quantity(undefined, { min: 0, max: 1, examples: [0.1] })

/** Seed of a random sequence. An element that is connected without one gets its own. */
export const seedField = integer({
  min: 0,
  max: MAX_SEED,
  description:
    "the same seed gives the same random values; without it, the seed follows from the twin's seed, the pin and the element",
})
/** Seed of an element without one that is not connected to a pin. */
export const UNCONNECTED_SEED = 1
