import { type Branch, isReactive, type Source, type Thevenin } from '../branch.ts'
import { Elimination, identity, type Matrix } from './matrix.ts'
import type { TheveninOf } from './mean.ts'
import { PiecewiseLinear } from './piecewise-linear.ts'
import type { Reactive } from './reactive.ts'

/** The number of ground in place of a node. */
export const GROUND = -1

/** A branch from a node to another one, or to ground. */
export interface Placed<Of extends Branch = Branch> {
  readonly branch: Of
  readonly from: number
  readonly to: number
}

/** Conductance from a node to ground: 1 GΩ. A single node has it only if nothing else conducts. */
const LEAK_SIEMENS = 1e-9
/** Sources whose resistances are combined one by one for bounds; with more, only all highest and all lowest. */
const MAX_COMBINED = 6

/** The solution for one combination of the sources' resistances. */
export interface Solution {
  readonly elimination: Elimination
  /** Volts at each node, then amperes of each capacitor (rows), per ampere into each node, then per volt of each capacitor (columns). */
  readonly inverse: Matrix
}

/**
 * The matrix of modified nodal analysis: the unknowns are the voltage of each node and the current of each capacitor. Each branch adds its
 * stamp: a conductance between two nodes, or a capacitor's row and column. The current of a capacitor is an unknown of its own, because
 * computed from two nearly equal voltages it would lose all precision.
 */
export class NodalMatrix {
  /** Number of combinations to cache. A piecewise-linear part has many segments. */
  static readonly MAX_KEPT = 1024

  readonly #steady: readonly (readonly number[])[]
  readonly #changing: readonly Placed<Source>[]
  readonly #known = new Map<string, Solution>()
  #last: { readonly ohms: readonly number[]; readonly solution: Solution } | undefined

  /** `direct` conduct steadily, `changing` with the resistances of their equivalents. */
  constructor(
    size: number,
    direct: readonly { readonly equivalent: Pick<Thevenin, 'ohms'>; readonly from: number; readonly to: number }[],
    changing: readonly Placed<Source>[],
    capacitors: readonly Placed<Reactive>[],
  ) {
    this.#changing = changing
    const steady = identity(size + capacitors.length).map((row) => row.map(() => 0))
    for (const [index, { branch, from, to }] of capacitors.entries()) stampCapacitor(steady, size + index, branch.ohms, from, to)
    for (const { equivalent, from, to } of direct) stampConductance(steady, 1 / equivalent.ohms, from, to)
    if (size > 1 || capacitors.length > 0) for (let node = 0; node < size; node++) add(steady, node, node, LEAK_SIEMENS)
    this.#steady = steady
  }

  of(theveninOf: TheveninOf): Solution {
    const last = this.#last
    if (last !== undefined && this.#changing.every(({ branch }, index) => theveninOf(branch).ohms === last.ohms[index]))
      return last.solution
    const ohms = this.#changing.map(({ branch }) => theveninOf(branch).ohms)
    const key = ohms.join(' ')
    const solution = this.#known.get(key) ?? this.#solve(ohms)
    if (this.#known.size >= NodalMatrix.MAX_KEPT) this.#known.clear()
    this.#known.set(key, solution)
    this.#last = { ohms, solution }
    return solution
  }

  #solve(ohms: readonly number[]): Solution {
    const matrix = this.#steady.map((row) => [...row])
    for (const [index, { from, to }] of this.#changing.entries()) stampConductance(matrix, 1 / (ohms[index] ?? 1), from, to)
    // A node without any branch has a voltage, too.
    if (matrix[0]?.[0] === 0) add(matrix, 0, 0, LEAK_SIEMENS)
    const elimination = new Elimination(matrix)
    const columns = identity(matrix.length).map((unit) => elimination.solved(unit))
    return { elimination, inverse: columns.map((_, row) => columns.map((column) => column[row] ?? 0)) }
  }

  /** The solutions for the highest and lowest resistances of the sources. */
  extremes(): readonly Solution[] {
    const choices = this.#changing.map(({ branch }) => {
      const ohms = branch.extremes.map((equivalent) => equivalent.ohms)
      return [...new Set([Math.max(...ohms), Math.min(...ohms)])]
    })
    const all =
      choices.filter(({ length }) => length > 1).length > MAX_COMBINED
        ? [choices.map((choice) => choice[0] ?? 0), choices.map((choice) => choice.at(-1) ?? 0)]
        : choices.reduce<number[][]>((sets, choice) => sets.flatMap((set) => choice.map((ohms) => [...set, ohms])), [[]])
    return all.map((ohms) => this.#solve(ohms))
  }
}

/** The stamp of a capacitor: its current is an unknown. v(from) − v(to) − ohms × i is its own voltage. */
function stampCapacitor(rows: number[][], own: number, ohms: number, from: number, to: number): void {
  for (const [node, sign] of [
    [from, 1],
    [to, -1],
  ] as const) {
    add(rows, node, own, sign)
    add(rows, own, node, sign)
  }
  add(rows, own, own, -ohms)
}

/** The stamp of a conductance between two nodes; a negative number stands for ground. */
function stampConductance(conductances: number[][], siemens: number, from: number, to: number): void {
  add(conductances, from, from, siemens)
  add(conductances, to, to, siemens)
  add(conductances, from, to, -siemens)
  add(conductances, to, from, -siemens)
}

function add(rows: number[][], row: number, column: number, value: number): void {
  const cells = rows[row]
  if (cells !== undefined && column >= 0) cells[column] = (cells[column] ?? 0) + value
}

export function isCapacitor({ branch }: Placed<Reactive>): boolean {
  return branch.fadesPerMs === 0
}

export function isPiecewise(placed: Placed): placed is Placed<PiecewiseLinear> {
  return placed.branch instanceof PiecewiseLinear
}

export function isSource(placed: Placed): placed is Placed<Source> {
  return !isReactive(placed.branch)
}

export function isPort(placed: Placed): placed is Placed<Reactive> {
  return isReactive(placed.branch)
}
