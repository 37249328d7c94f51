import { reads } from '@slotwire/contract'
import type { ScenarioWorld } from '@slotwire/scenario'
import { type Bench, benchWrite } from '@slotwire/twin'

/** Common properties of reading endpoints. */
export const benchRead = { ...reads, spec: benchWrite.spec } as const

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
