import type { Matrix } from './matrix.ts'

const MS_PER_SECOND = 1000

/**
 * A linear, passive one-port with states, between the node and `volts`. With x as its state and v = node voltage − `volts`: x' = `stateMatrix` ×
 * x + `inputVector` × v per ms, and the current out of the node is `outputVector` · x + v / `ohms`.
 */
export interface Reactive {
  readonly volts: number
  readonly ohms: number
  readonly stateMatrix: Matrix
  readonly inputVector: readonly number[]
  readonly outputVector: readonly number[]
  /** Weight of each state component: the stored energy is half the sum of weight × square, in joule. */
  readonly weights: readonly number[]
  /** Resistance to `volts` after everything has settled. */
  readonly restOhms: number
  /** Lower bound of its decay rate, for any node; 0 if the rest of the circuit decides: then a network solves the node. */
  readonly fadesPerMs: number
}

/** A winding with inductance, with a resistor across it. */
export function winding(of: { ohms: number; henry: number; acrossOhms: number; volts: number }): Reactive {
  const henryMs = of.henry * MS_PER_SECOND
  return {
    volts: of.volts,
    ohms: of.acrossOhms,
    stateMatrix: [[-of.ohms / henryMs]],
    inputVector: [1 / henryMs],
    outputVector: [1],
    weights: [of.henry],
    restOhms: inParallel(of.ohms, of.acrossOhms),
    fadesPerMs: of.ohms / henryMs,
  }
}

/** An armature: a winding in series with the rotor. The rotor's voltage rises with its speed, as on a capacitor. */
export interface Armature {
  readonly windingOhms: number
  /** Friction, as a resistance across the rotor. */
  readonly frictionOhms: number
  readonly rotorFarad: number
  readonly volts: number
}

/** An armature with negligible inductance; its state is the rotor voltage. */
export function resistiveArmature(of: Armature): Reactive {
  const faradMs = of.rotorFarad * MS_PER_SECOND
  return {
    volts: of.volts,
    ohms: of.windingOhms,
    stateMatrix: [[-(1 / of.windingOhms + 1 / of.frictionOhms) / faradMs]],
    inputVector: [1 / (of.windingOhms * faradMs)],
    outputVector: [-1 / of.windingOhms],
    weights: [of.rotorFarad],
    restOhms: of.windingOhms + of.frictionOhms,
    fadesPerMs: 1 / (of.frictionOhms * faradMs),
  }
}

/** An armature with inductance, with a resistor across it; its state is its current and its rotor voltage. */
export function inductiveArmature(of: Armature & { henry: number; acrossOhms: number }): Reactive {
  const henryMs = of.henry * MS_PER_SECOND
  const faradMs = of.rotorFarad * MS_PER_SECOND
  const frictionPerMs = 1 / (of.frictionOhms * faradMs)
  return {
    volts: of.volts,
    ohms: of.acrossOhms,
    stateMatrix: [
      [-of.windingOhms / henryMs, -1 / henryMs],
      [1 / faradMs, -frictionPerMs],
    ],
    inputVector: [1 / henryMs, 0],
    outputVector: [1, 0],
    weights: [of.henry, of.rotorFarad],
    restOhms: inParallel(of.windingOhms + of.frictionOhms, of.acrossOhms),
    fadesPerMs: Math.min(frictionPerMs, of.windingOhms / henryMs),
  }
}

/** A capacitor with its series resistance; its state is its voltage. */
export function dielectric(of: { farad: number; seriesOhms: number; volts: number }): Reactive {
  const perMs = 1 / (of.seriesOhms * of.farad * MS_PER_SECOND)
  return {
    volts: of.volts,
    ohms: of.seriesOhms,
    stateMatrix: [[-perMs]],
    inputVector: [perMs],
    outputVector: [-1 / of.seriesOhms],
    weights: [of.farad],
    restOhms: Number.POSITIVE_INFINITY,
    fadesPerMs: 0,
  }
}

function inParallel(a: number, b: number): number {
  return 1 / (1 / a + 1 / b)
}

/** How fast the voltage of a capacitor grows with its current, in V per A and ms. */
export function voltsPerAmpere({ inputVector, ohms }: Reactive): number {
  return (inputVector[0] ?? 0) * ohms
}
