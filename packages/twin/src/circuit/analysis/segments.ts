import type { Source, Thevenin, TheveninOf } from '../branch.ts'
import { inverseOf, type Matrix, times } from './matrix.ts'
import type { PiecewiseLinear } from './piecewise-linear.ts'

/** A voltage within this of a breakpoint counts as on it. */
const TOLERANCE_VOLTS = 1e-10
/** More segments than a search passes; beyond it, the last ones are taken. */
const MAX_PASSED = 2000

/** What the rest of a circuit is for its piecewise-linear parts: a multiport of open-circuit voltages and resistances. */
export interface Multiport {
  readonly openVolts: readonly number[]
  readonly ohms: Matrix
}

/**
 * The segments of all parts that fit the rest of the circuit. Begins at `first` and passes one breakpoint after the other on a straight way
 * to the solution (Katzenelson), which therefore always ends. There is one solution only, so `first` changes nothing but the cost.
 */
export function fittingSegments(parts: readonly PiecewiseLinear[], rest: Multiport, first: readonly number[]): number[] {
  const segments = [...first]
  let volts = parts.map((part, port) => middleOf(part.rangeOf(segments[port] ?? 0)))
  for (let passed = 0; passed < MAX_PASSED; passed++) {
    const equivalents = parts.map((part, port) => part.equivalent(segments[port] ?? 0))
    const target = solved(equivalents, rest)
    let share = 1
    let leaving = -1
    let upwards = 0
    for (const [port, part] of parts.entries()) {
      const [low, high] = part.rangeOf(segments[port] ?? 0)
      const [from, to] = [volts[port] ?? 0, target[port] ?? 0]
      const bound = to > high + TOLERANCE_VOLTS ? high : low
      if (to <= high + TOLERANCE_VOLTS && to >= low - TOLERANCE_VOLTS) continue
      const way = Math.max(0, (bound - from) / (to - from))
      if (leaving >= 0 && way >= share) continue
      share = way
      leaving = port
      upwards = bound === high ? 1 : -1
    }
    if (leaving < 0) return segments
    volts = volts.map((from, port) => from + share * ((target[port] ?? 0) - from))
    segments[leaving] = (segments[leaving] ?? 0) + upwards
  }
  return segments
}

/** The voltages at the ports while the parts are these Thevenin equivalents. */
function solved(equivalents: readonly Thevenin[], { openVolts, ohms }: Multiport): readonly number[] {
  const right = openVolts.map((open, row) =>
    equivalents.reduce((sum, equivalent, port) => sum + ((ohms[row]?.[port] ?? 0) * equivalent.volts) / equivalent.ohms, open),
  )
  if (equivalents.length === 1) return [(right[0] ?? 0) / (1 + (ohms[0]?.[0] ?? 0) / (equivalents[0]?.ohms ?? 1))]
  const matrix = ohms.map((line, row) => line.map((each, port) => each / (equivalents[port]?.ohms ?? 1) + Number(row === port)))
  return times(inverseOf(matrix), right)
}

function middleOf([low, high]: readonly [number, number]): number {
  if (low === Number.NEGATIVE_INFINITY) return high
  return high === Number.POSITIVE_INFINITY ? low : (low + high) / 2
}

/** Gives each piecewise-linear part the equivalent of its segment, and any other source that of `theveninOf`. */
export function withSegments(theveninOf: TheveninOf, parts: readonly PiecewiseLinear[], segments: readonly number[]): TheveninOf {
  if (parts.length === 0) return theveninOf
  const equivalents = new Map<Source, Thevenin>(parts.map((part, port) => [part, part.equivalent(segments[port] ?? 0)]))
  return (source) => equivalents.get(source) ?? theveninOf(source)
}
