/** A source behind a resistance, in steps of the simulation. */
export interface Drive {
  /** Resistance from this step on. */
  readonly ohms: (fromStep: number) => number
  /** Voltages at the beginning and the end of an interval without a turn. */
  readonly volts: (fromStep: number, toStep: number) => readonly [number, number]
  /** The first turn after a step. */
  readonly turnAfter: (step: number) => number
  /** Number of steps for which it is nearly a straight line. */
  readonly longest: number
}

/** A winding: L × di/dt = v − R × i, with a resistor across it. With a rotor in series it is a motor: C × de/dt = i − e / friction. */
export interface Load {
  readonly volts: number
  /** 0: without inductance. */
  readonly henry: number
  readonly windingOhms: number
  readonly acrossOhms: number
  readonly rotor?: { readonly frictionOhms: number; readonly farad: number }
}

type Range = readonly [lowest: number, highest: number]

export interface Run {
  readonly drives: readonly Drive[]
  readonly loads: readonly Load[]
  readonly stepMs: number
  readonly fromStep: number
  readonly untilStep: number
  /** Steps to report, ascending. */
  readonly stops: readonly number[]
  /** State of each load at first: its current and its rotor voltage. */
  readonly states: readonly LoadState[]
}

export interface LoadState {
  readonly amps: number
  readonly emf: number
}

interface Seen {
  readonly volts: number
  /** Voltage across the resistance of the first drive. */
  readonly drop: number
}

export interface Simulated {
  readonly at: ReadonlyMap<number, Seen>
  /** Range of the voltage between two stops, by the later stop. */
  readonly ranges: ReadonlyMap<number, Range>
  readonly states: readonly LoadState[]
}

type Matrix = readonly (readonly number[])[]

/**
 * Solves one node by the equations of its parts: V = (sum of all currents into a short) / (sum of all conductances). Between two turns of
 * the sources the matrix exponential gives the currents of coils and the speeds of motors. Shares nothing with the circuit under test.
 */
export function simulated({ drives, loads, stepMs, fromStep, untilStep, stops, states }: Run): Simulated {
  const seconds = stepMs / 1000
  const exponentials = new Map<number, Matrix[]>()
  const siemensAt = (step: number): number => drives.reduce((sum, drive) => sum + 1 / drive.ohms(step), 0)
  const ampsOf = (from: number, to: number, end: 0 | 1): number =>
    drives.reduce((sum, drive) => sum + drive.volts(from, to)[end] / drive.ohms(from), 0)
  const seen = (from: number, to: number, end: 0 | 1, state: readonly number[]): Seen => {
    const volts = voltsOf(loads, state, siemensAt(from), ampsOf(from, to, end), 1)
    return { volts, drop: (drives[0]?.volts(from, to)[end] ?? 0) - volts }
  }
  const stepsOf = (siemens: number, steps: number): Matrix => {
    const known = exponentials.get(siemens) ?? [identity(2 * loads.length + 3), exponential(matrixOf(loads, siemens, seconds))]
    exponentials.set(siemens, known)
    for (let last = known.length; last <= steps; last++) known.push(product(known[last - 1] ?? [], known[1] ?? []))
    return known[steps] ?? []
  }
  const at = new Map<number, Seen>()
  const ranges = new Map<number, Range>()
  const straight = Math.min(MAX_INTERVAL, ...drives.map((drive) => drive.longest))
  let state: readonly number[] = states.flatMap(({ amps, emf }) => [amps, emf])
  let step = fromStep
  for (const stop of new Set([...stops.filter((each) => each > fromStep && each < untilStep), untilStep])) {
    let range: Range = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    while (step < stop) {
      const longest = step < fromStep + SINGLE_STEPS ? 1 : straight
      const next = Math.min(stop, step + longest, ...drives.map((drive) => drive.turnAfter(step)))
      const [first, last] = [ampsOf(step, next, 0), ampsOf(step, next, 1)]
      const before = seen(step, next, 0, state).volts
      state = times(stepsOf(siemensAt(step), next - step), [...state, first, (last - first) / (next - step), 1]).slice(
        0,
        state.length,
      )
      const after = seen(step, next, 1, state).volts
      range = [Math.min(range[0], before, after), Math.max(range[1], before, after)]
      step = next
    }
    ranges.set(stop, range)
    at.set(stop, seen(step, step + 1, 0, state))
  }
  return { at, ranges, states: loads.map((_, index) => ({ amps: state[2 * index] ?? 0, emf: state[2 * index + 1] ?? 0 })) }
}

/** Intervals are cut to at most this many steps, so that peaks are seen. */
const MAX_INTERVAL = 4
/** After a change every step is seen, for so many steps. */
const SINGLE_STEPS = 512

/** The node's voltage. `one` is 1, or 0 without the constant voltages of the loads. */
function voltsOf(loads: readonly Load[], state: readonly number[], driveSiemens: number, driveAmps: number, one: number): number {
  let siemens = driveSiemens
  let amps = driveAmps
  for (const [index, { volts, henry, windingOhms, acrossOhms }] of loads.entries()) {
    const [current = 0, emf = 0] = [state[2 * index], state[2 * index + 1]]
    siemens += 1 / (henry === 0 ? windingOhms : acrossOhms)
    amps += henry === 0 ? (volts * one + emf) / windingOhms : (volts * one) / acrossOhms - current
  }
  return amps / siemens
}

/** Effect of one step on (state, current of the drives, its slope per step, 1), as a rate. */
function matrixOf(loads: readonly Load[], siemens: number, seconds: number): Matrix {
  const size = 2 * loads.length + 3
  const columns = identity(size).map((unit) => {
    const [driveAmps = 0, slope = 0, one = 0] = unit.slice(-3)
    const volts = voltsOf(loads, unit, siemens, driveAmps, one)
    const rates = loads.flatMap((load, index) => {
      const [current = 0, emf = 0] = [unit[2 * index], unit[2 * index + 1]]
      const across = volts - load.volts * one - emf
      const amps = load.henry === 0 ? across / load.windingOhms : current
      const { rotor } = load
      return [
        load.henry === 0 ? 0 : (across - load.windingOhms * current) / load.henry,
        rotor === undefined ? 0 : (amps - emf / rotor.frictionOhms) / rotor.farad,
      ].map((rate) => rate * seconds)
    })
    return [...rates, slope, 0, 0]
  })
  return transposed(columns)
}

/** e^`matrix`: halved until it is small, a series, then squared. */
function exponential(matrix: Matrix): Matrix {
  const largest = Math.max(...matrix.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0)))
  const halvings = Math.max(0, Math.ceil(Math.log2(largest)) + 6)
  const small = matrix.map((row) => row.map((value) => value / 2 ** halvings))
  let term = identity(matrix.length)
  let sum = term
  for (let index = 1; index <= 8; index++) {
    term = product(term, small).map((row) => row.map((value) => value / index))
    sum = sum.map((row, at) => row.map((value, column) => value + (term[at]?.[column] ?? 0)))
  }
  for (let left = halvings; left > 0; left--) sum = product(sum, sum)
  return sum
}

function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_unused, column) => Number(row === column)))
}

function transposed(matrix: Matrix): Matrix {
  return matrix.map((_, index) => matrix.map((row) => row[index] ?? 0))
}

function times(matrix: Matrix, vector: readonly number[]): number[] {
  return matrix.map((row) => row.reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0))
}

function product(a: Matrix, b: Matrix): Matrix {
  const columns = transposed(b)
  return a.map((row) => times(columns, row))
}
