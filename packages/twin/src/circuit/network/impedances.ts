import type { Branch, Leg, Source } from '../branch.ts'
import { Elimination, identity, type Matrix } from '../memory/matrix.ts'
import type { Reactive } from '../memory/reactive.ts'
import type { LegOf } from '../node/mean.ts'

/** The number of ground in place of a node. */
export const GROUND = -1

/** A branch from a node to another one, or to ground. */
export interface Placed<Of extends Branch = Branch> {
  readonly branch: Of
  readonly from: number
  readonly to: number
}

/** Conductance from each node to ground, so that a node without any branch has a voltage: 1 GΩ. */
const LEAK_SIEMENS = 1e-9
/** Sources whose resistances are combined one by one for bounds; with more, only all highest and all lowest. */
const MOST_COMBINED = 6

/**
 * The impedances between all nodes of a network, for each combination of its sources' resistances. The current of each capacitor is an
 * unknown like the voltages: computed from two nearly equal voltages it would lose all precision.
 */
export class Impedances {
  /** Number of combinations to cache. A polygon has many sides. */
  static readonly MOST_KEPT = 1024

  readonly #size: number
  readonly #steady: readonly (readonly number[])[]
  readonly #moving: readonly Placed<Source>[]
  readonly #known = new Map<string, Matrix>()

  /** `direct` conduct steadily. */
  constructor(
    size: number,
    direct: readonly { readonly leg: Pick<Leg, 'ohms'>; readonly from: number; readonly to: number }[],
    moving: readonly Placed<Source>[],
    capacitors: readonly Placed<Reactive>[] = [],
  ) {
    this.#size = size + capacitors.length
    this.#moving = moving
    const steady = identity(this.#size).map((row, index) => row.map((one) => (index < size ? one * LEAK_SIEMENS : 0)))
    for (const [index, { branch, from, to }] of capacitors.entries()) insert(steady, size + index, branch.ohms, from, to)
    for (const { leg, from, to } of direct) join(steady, 1 / leg.ohms, from, to)
    this.#steady = steady
  }

  /** Volts at each node, then amperes of each capacitor (rows), per ampere into each node, then per volt of each capacitor (columns). */
  of(legOf: LegOf): Matrix {
    const ohms = this.#moving.map(({ branch }) => legOf(branch).ohms)
    const key = ohms.join(' ')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const conductances = this.#steady.map((row) => [...row])
    for (const [index, { from, to }] of this.#moving.entries())
      join(conductances, 1 / (ohms[index] ?? Number.POSITIVE_INFINITY), from, to)
    const elimination = new Elimination(conductances)
    const columns = identity(this.#size).map((unit) => elimination.solved(unit))
    const impedance = columns.map((_, row) => columns.map((column) => column[row] ?? 0))
    if (this.#known.size >= Impedances.MOST_KEPT) this.#known.clear()
    this.#known.set(key, impedance)
    return impedance
  }

  /** The impedances for the highest and lowest resistances of the sources. */
  extremes(): readonly Matrix[] {
    const choices = this.#moving.map(({ branch }) => {
      const ohms = branch.extremes.map((leg) => leg.ohms)
      return [...new Set([Math.max(...ohms), Math.min(...ohms)])]
    })
    const changing = choices.filter((choice) => choice.length > 1)
    const all =
      changing.length > MOST_COMBINED
        ? [choices.map((choice) => choice[0] ?? 0), choices.map((choice) => choice.at(-1) ?? 0)]
        : choices.reduce<readonly (readonly number[])[]>(
            (sets, choice) => sets.flatMap((set) => choice.map((ohms) => [...set, ohms])),
            [[]],
          )
    return all.map((ohms) => this.of((source) => ({ volts: 0, ohms: ohms[this.#indexOf(source)] ?? Number.POSITIVE_INFINITY })))
  }

  #indexOf(source: Source): number {
    return this.#moving.findIndex(({ branch }) => branch === source)
  }
}

/** Adds the current of a capacitor as an unknown. */
function insert(rows: number[][], own: number, ohms: number, from: number, to: number): void {
  for (const [node, sign] of [
    [from, 1],
    [to, -1],
  ] as const) {
    add(rows, node, own, sign)
    add(rows, own, node, sign)
  }
  add(rows, own, own, -ohms)
}

/** Adds a conductance between two nodes; a negative number stands for ground. */
function join(conductances: number[][], siemens: number, from: number, to: number): void {
  add(conductances, from, from, siemens)
  add(conductances, to, to, siemens)
  add(conductances, from, to, -siemens)
  add(conductances, to, from, -siemens)
}

function add(rows: number[][], row: number, column: number, value: number): void {
  const cells = rows[row]
  if (cells !== undefined && column >= 0) cells[column] = (cells[column] ?? 0) + value
}
