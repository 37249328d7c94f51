import type { Matrix } from './matrix.ts'

const MS_PER_SECOND = 1000

/**
 * A one-port with a memory, linear and passive, between the node and `volts`: with x its memory and v = node voltage − `volts`,
 * x' = `rates` × x + `gains` × v per ms, and the current out of the node is `currents` · x + v / `ohms`.
 */
export interface Reactive {
  readonly volts: number
  readonly ohms: number
  readonly rates: Matrix
  readonly gains: readonly number[]
  readonly currents: readonly number[]
  /** What each part of the memory weighs: the energy in it is half the sum of weight × square, in joule. */
  readonly weights: readonly number[]
  /** What it is when everything has settled: a resistor to `volts`. */
  readonly restOhms: number
  /** Its memory fades at least this fast, whatever hangs on the node. */
  readonly fadesPerMs: number
}

/** A winding with an inductance, and a resistor across both. */
export function winding(of: { ohms: number; henry: number; acrossOhms: number; volts: number }): Reactive {
  const henryMs = of.henry * MS_PER_SECOND
  return {
    volts: of.volts,
    ohms: of.acrossOhms,
    rates: [[-of.ohms / henryMs]],
    gains: [1 / henryMs],
    currents: [1],
    weights: [of.henry],
    restOhms: inParallel(of.ohms, of.acrossOhms),
    fadesPerMs: of.ohms / henryMs,
  }
}

/** What an armature is: a winding in series with the rotor, whose voltage rises with its speed as if it were a capacitance. */
export interface Armature {
  readonly windingOhms: number
  /** What friction is: lies across the rotor. */
  readonly frictionOhms: number
  readonly rotorFarad: number
  readonly volts: number
}

/** An armature whose inductance does not matter; its memory is the voltage of its rotor. */
export function resistiveArmature(of: Armature): Reactive {
  const faradMs = of.rotorFarad * MS_PER_SECOND
  return {
    volts: of.volts,
    ohms: of.windingOhms,
    rates: [[-(1 / of.windingOhms + 1 / of.frictionOhms) / faradMs]],
    gains: [1 / (of.windingOhms * faradMs)],
    currents: [-1 / of.windingOhms],
    weights: [of.rotorFarad],
    restOhms: of.windingOhms + of.frictionOhms,
    fadesPerMs: 1 / (of.frictionOhms * faradMs),
  }
}

/** An armature with inductance, and a resistor across everything; its memory is its current and the voltage of its rotor. */
export function inductiveArmature(of: Armature & { henry: number; acrossOhms: number }): Reactive {
  const henryMs = of.henry * MS_PER_SECOND
  const faradMs = of.rotorFarad * MS_PER_SECOND
  const frictionPerMs = 1 / (of.frictionOhms * faradMs)
  return {
    volts: of.volts,
    ohms: of.acrossOhms,
    rates: [
      [-of.windingOhms / henryMs, -1 / henryMs],
      [1 / faradMs, -frictionPerMs],
    ],
    gains: [1 / henryMs, 0],
    currents: [1, 0],
    weights: [of.henry, of.rotorFarad],
    restOhms: inParallel(of.windingOhms + of.frictionOhms, of.acrossOhms),
    fadesPerMs: Math.min(frictionPerMs, of.windingOhms / henryMs),
  }
}

function inParallel(a: number, b: number): number {
  return 1 / (1 / a + 1 / b)
}
