import type { Leg, Source } from '../branch.ts'
import { Elimination, type Matrix } from '../memory/matrix.ts'
import type { Polygon } from './polygon.ts'

/** A voltage within this of a bound counts as on it. */
const TOLERANCE_VOLTS = 1e-10
/** More sides than a search passes; beyond it, the last ones are taken. */
const MOST_PASSED = 2000

/** What the rest of a network is for the ports of its polygons: voltages without their currents, and impedances. */
export interface Ports {
  readonly openVolts: readonly number[]
  readonly ohms: Matrix
}

/**
 * The sides of all polygons that fit the rest of the network. Begins at `first` and passes one bound after the other on a straight way to
 * the solution (Katzenelson), which therefore always ends. There is one solution only, so `first` changes nothing but the cost.
 */
export function fittingSides(polygons: readonly Polygon[], { openVolts, ohms }: Ports, first: readonly number[]): number[] {
  const sides = [...first]
  let volts = polygons.map((polygon, port) => middleOf(polygon.rangeOf(sides[port] ?? 0)))
  for (let passed = 0; passed < MOST_PASSED; passed++) {
    const target = solved(
      polygons.map((polygon, port) => polygon.leg(sides[port] ?? 0)),
      { openVolts, ohms },
    )
    let share = 1
    let leaving = -1
    let upwards = 0
    for (const [port, polygon] of polygons.entries()) {
      const [low, high] = polygon.rangeOf(sides[port] ?? 0)
      const [from, to] = [volts[port] ?? 0, target[port] ?? 0]
      const bound = to > high + TOLERANCE_VOLTS ? high : low
      if (to <= high + TOLERANCE_VOLTS && to >= low - TOLERANCE_VOLTS) continue
      const part = Math.max(0, (bound - from) / (to - from))
      if (leaving >= 0 && part >= share) continue
      share = part
      leaving = port
      upwards = bound === high ? 1 : -1
    }
    if (leaving < 0) return sides
    volts = volts.map((from, port) => from + share * ((target[port] ?? 0) - from))
    sides[leaving] = (sides[leaving] ?? 0) + upwards
  }
  return sides
}

/** The voltages at the ports while the polygons are these legs. */
function solved(legs: readonly Leg[], { openVolts, ohms }: Ports): readonly number[] {
  const right = openVolts.map((open, row) =>
    legs.reduce((sum, leg, port) => sum + ((ohms[row]?.[port] ?? 0) * leg.volts) / leg.ohms, open),
  )
  if (legs.length === 1) return [(right[0] ?? 0) / (1 + (ohms[0]?.[0] ?? 0) / (legs[0]?.ohms ?? 1))]
  const matrix = ohms.map((line, row) => line.map((each, port) => each / (legs[port]?.ohms ?? 1) + Number(row === port)))
  return new Elimination(matrix).solved(right)
}

function middleOf([low, high]: readonly [number, number]): number {
  if (low === Number.NEGATIVE_INFINITY) return high
  return high === Number.POSITIVE_INFINITY ? low : (low + high) / 2
}

/** Gives each polygon the leg of its side, and any other source that of `legOf`. */
export function withSides(
  legOf: (source: Source) => Leg,
  polygons: readonly Polygon[],
  sides: readonly number[],
): (source: Source) => Leg {
  const legs = new Map<Source, Leg>(polygons.map((polygon, port) => [polygon, polygon.leg(sides[port] ?? 0)]))
  return (source) => legs.get(source) ?? legOf(source)
}
