import type { Branch } from './branch.ts'
import { alternate } from './branch.ts'

/** What stands in for no resistance at all: an ideal source, a short, a connector. */
export const IDEAL_OHMS = 0.001
/** Fastest waveform that an element takes, in Hz. */
export const MAX_FREQUENCY_HZ = 10_000_000
const FULL_TURN_DEGREES = 360
const MS_PER_SECOND = 1000

/**
 * Something outside the modules that hangs between a terminal and ground. A kind of element is one function that makes one; what
 * it does to the node is its branch, undefined while it does nothing.
 */
export interface Element {
  /** For people: what it is and its figures. */
  readonly description: string
  readonly branch: Branch | undefined
}

/** A resistor to ground, or to a voltage: `resistor({ ohms: 10_000, volts: 3.3 })`. */
export function resistor(of: { ohms: number; volts?: number }): Element {
  const volts = checked('volts', of.volts ?? 0)
  return { description: `${of.ohms} Ω to ${volts} V`, branch: { volts, ohms: resistance(of.ohms) } }
}

/** A voltage source, ideal unless `ohms` says otherwise. */
export function source(of: { volts: number; ohms?: number }): Element {
  const ohms = resistance(of.ohms ?? 0)
  return { description: `source of ${of.volts} V behind ${ohms} Ω`, branch: { volts: checked('volts', of.volts), ohms } }
}

/** Levels of a waveform, in volts: low and high, or a swing of ± amplitude around an offset. */
export type Levels = { lowVolts: number; highVolts: number } | { amplitudeVolts: number; offsetVolts?: number }

/**
 * A square wave: high for `duty` (0…1, default 0.5) of each period. Without phase a high part begins at twin time 0; a phase in
 * degrees begins it earlier. Ideal unless `ohms` says otherwise.
 */
export function squareWave(of: Levels & { frequencyHz: number; duty?: number; phaseDegrees?: number; ohms?: number }): Element {
  const frequencyHz = checked('frequencyHz', of.frequencyHz, Number.MIN_VALUE, MAX_FREQUENCY_HZ)
  const duty = checked('duty', of.duty ?? 0.5, 0, 1)
  const phase = checked('phaseDegrees', of.phaseDegrees ?? 0) / FULL_TURN_DEGREES
  const ohms = resistance(of.ohms ?? 0)
  const { lowVolts, highVolts } = levelsOf(of)
  const periodMs = MS_PER_SECOND / frequencyHz
  const timing = { startMs: phase === 0 ? 0 : -phase * periodMs, periodMs, highMs: duty * periodMs }
  return {
    description: `square wave of ${frequencyHz} Hz, ${lowVolts}/${highVolts} V behind ${ohms} Ω`,
    branch: alternate(timing, { volts: highVolts, ohms }, { volts: lowVolts, ohms }),
  }
}

/** A short circuit to ground. */
export function short(): Element {
  return { description: 'short to ground', branch: { volts: 0, ohms: IDEAL_OHMS } }
}

/** Nothing: the terminal is left open. */
export function open(): Element {
  return { description: 'open', branch: undefined }
}

function levelsOf(of: Levels): { lowVolts: number; highVolts: number } {
  const given = 'lowVolts' in of
  const offset = given ? 0 : (of.offsetVolts ?? 0)
  const lowVolts = checked('lowVolts', given ? of.lowVolts : offset - of.amplitudeVolts)
  return { lowVolts, highVolts: checked('highVolts', given ? of.highVolts : offset + of.amplitudeVolts) }
}

function resistance(ohms: number): number {
  return Math.max(checked('ohms', ohms, 0), IDEAL_OHMS)
}

function checked(name: string, value: number, min = -Number.MAX_VALUE, max = Number.MAX_VALUE): number {
  if (value >= min && value <= max) return value
  throw new RangeError(`${name} is ${value}: ${min}…${max}`)
}
