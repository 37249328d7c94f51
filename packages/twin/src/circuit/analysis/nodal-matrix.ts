import type { Branch, Source, TheveninOf } from '../branch.ts'
import { combinations, identity, inverseOf, type Matrix } from './matrix.ts'
import type { Part, Reactive } from './reactive.ts'

/** The number of ground in place of a node. */
export const GROUND = -1

/** Two nodes, or a node and ground. */
export interface Ends {
  readonly from: number
  readonly to: number
}

/** A branch from a node to another one, or to ground. */
export interface Placed<Of extends Branch = Branch> extends Ends {
  readonly branch: Of
}

/** A part of a reactive branch between nodes of the circuit, and the voltage of its other end. */
export interface PlacedPart extends Part {
  readonly branch: Reactive
  readonly volts: number
}

/** A part that stores energy. Its own unknown is the current of a capacitor, or the voltage across a coil. */
export interface Store extends PlacedPart {
  readonly own: number
}

/** Conductance from a node to ground: 1 GΩ. A single node has it only if nothing else conducts. */
const LEAK_SIEMENS = 1e-9
/** Sources whose resistances are combined one by one for bounds; with more, only all highest and all lowest. */
const MAX_COMBINED = 6

/**
 * The matrix M of modified nodal analysis, M × v = J. The unknowns v are the voltage of each node, the current of each capacitor and the
 * voltage across each coil. Each branch adds its stamp. The current of a capacitor is an unknown of its own, because computed from two
 * nearly equal voltages it would lose all precision.
 */
export class NodalMatrix {
  /** Number of combinations to cache. A piecewise-linear part has many segments. */
  static readonly MAX_KEPT = 1024

  readonly #steady: Matrix
  readonly #known = new Map<string, Matrix>()
  #last: { readonly ohms: readonly number[]; readonly inverse: Matrix } | undefined

  /** `resistors` conduct steadily, `changing` sources with the resistances of their equivalents. */
  constructor(
    nodes: number,
    resistors: readonly (Ends & { readonly ohms: number })[],
    private readonly changing: readonly Placed<Source>[],
    stores: readonly Store[],
  ) {
    const steady = identity(nodes + stores.length).map((row) => row.map(() => 0))
    for (const store of stores) stampStore(steady, store)
    for (const resistor of resistors) stampConductance(steady, 1 / resistor.ohms, resistor)
    const leaks = nodes > 1 || stores.some(({ farad }) => farad !== undefined)
    for (let node = 0; leaks && node < nodes; node++) add(steady, node, node, LEAK_SIEMENS)
    this.#steady = steady
  }

  /** The inverse matrix while each source shows its equivalent: for each unknown (row) what each entry of J adds to it. */
  inverse(theveninOf: TheveninOf): Matrix {
    const last = this.#last
    if (last !== undefined && this.changing.every(({ branch }, index) => theveninOf(branch).ohms === last.ohms[index]))
      return last.inverse
    const ohms = this.changing.map(({ branch }) => theveninOf(branch).ohms)
    const key = ohms.join(' ')
    const inverse = this.#known.get(key) ?? this.#inverted(ohms)
    if (this.#known.size >= NodalMatrix.MAX_KEPT) this.#known.clear()
    this.#known.set(key, inverse)
    this.#last = { ohms, inverse }
    return inverse
  }

  #inverted(ohms: readonly number[]): Matrix {
    const matrix = this.#steady.map((row) => [...row])
    for (const [index, ends] of this.changing.entries()) stampConductance(matrix, 1 / (ohms[index] ?? 1), ends)
    // A node without any branch has a voltage, too.
    if (matrix[0]?.[0] === 0) add(matrix, 0, 0, LEAK_SIEMENS)
    return inverseOf(matrix)
  }

  /** The inverse matrices for the highest and lowest resistances of the sources. */
  extremes(): readonly Matrix[] {
    const choices = this.changing.map(({ branch }) => {
      const ohms = branch.extremes.map((equivalent) => equivalent.ohms)
      return [...new Set([Math.max(...ohms), Math.min(...ohms)])]
    })
    const isMany = choices.filter(({ length }) => length > 1).length > MAX_COMBINED
    const highest = choices.map((choice) => choice.slice(0, 1))
    const all = isMany ? [highest, choices.map((choice) => choice.slice(-1))].flatMap(combinations) : combinations(choices)
    return all.map((ohms) => this.#inverted(ohms))
  }
}

/** The stamp of a conductance between two nodes; a negative number stands for ground. */
function stampConductance(matrix: number[][], siemens: number, { from, to }: Ends): void {
  add(matrix, from, from, siemens)
  add(matrix, to, to, siemens)
  add(matrix, from, to, -siemens)
  add(matrix, to, from, -siemens)
}

/** Capacitor: v(from) − v(to) − ohms × i = its own voltage + volts. Coil: v(from) − v(to) − u = ohms × its own current + volts. */
function stampStore(matrix: number[][], { from, to, own, ohms, farad }: Store): void {
  add(matrix, own, from, 1)
  add(matrix, own, to, -1)
  add(matrix, own, own, farad === undefined ? -1 : -ohms)
  if (farad === undefined) return
  add(matrix, from, own, 1)
  add(matrix, to, own, -1)
}

/** What a unit of the state of a part adds to J: the voltage of a capacitor in its own row, the current of a coil at its nodes too. */
export function effectOf({ from, to, own, ohms, farad }: Store, size: number): number[] {
  const effect = Array.from({ length: size }, (_, index) => Number(index === own))
  if (farad !== undefined) return effect
  effect[own] = ohms
  if (from !== GROUND) effect[from] = -1
  if (to !== GROUND) effect[to] = 1
  return effect
}

function add(matrix: number[][], row: number, column: number, value: number): void {
  const cells = matrix[row]
  if (cells !== undefined && column >= 0) cells[column] = (cells[column] ?? 0) + value
}

/** The parts of reactive branches between nodes of the circuit, whose inner nodes get the numbers from `nodes` on; and the number of all nodes. */
export function expanded(ports: readonly Placed<Reactive>[], nodes: number) {
  let next = nodes
  const parts = ports.flatMap(({ branch, from, to }) => {
    const inner = next - 2
    const ends = new Set(branch.parts.flatMap((part) => [part.from, part.to]))
    next += ends.size - 2
    const nodeOf = (end: number): number => [from, to][end] ?? inner + end
    return branch.parts.map((part): PlacedPart => {
      const volts = part.to === 1 ? branch.volts : 0
      return { ...part, branch, from: nodeOf(part.from), to: nodeOf(part.to), volts }
    })
  })
  return { parts, nodes: next }
}
