import type { Matrix } from './matrix.ts'
import type { Reactive } from './reactive.ts'

/** After this many time constants a memory has decayed below anything measurable: to 2 × 10⁻⁹. */
export const FADED_TIME_CONSTANTS = 20

/** Tolerance for rounding at the end of that time, in time constants. */
const ROUNDING = 1e-3

/** Whether the initial state of a node's memories has decayed below anything measurable after t ms. */
export function isFaded(system: MemorySystem, t: number): boolean {
  return t * system.fadesPerMs >= FADED_TIME_CONSTANTS - ROUNDING
}

/** The memories of all reactive ports of a node, concatenated. */
export interface MemorySystem {
  readonly rates: Matrix
  readonly gains: readonly number[]
  readonly currents: readonly number[]
  readonly weights: readonly number[]
  /** For each component, the voltage of the other end of its port. */
  readonly volts: readonly number[]
  readonly fadesPerMs: number
}

export function memorySystem(ports: readonly Reactive[]): MemorySystem {
  const size = ports.reduce((sum, port) => sum + port.gains.length, 0)
  let before = 0
  const rates = ports.flatMap((port) => {
    const offset = before
    before += port.gains.length
    return port.rates.map((row) => padded(row, offset, size))
  })
  return {
    rates,
    gains: ports.flatMap((port) => port.gains),
    currents: ports.flatMap((port) => port.currents),
    weights: ports.flatMap((port) => port.weights),
    volts: ports.flatMap((port) => port.gains.map(() => port.volts)),
    fadesPerMs: Math.min(...ports.map((port) => port.fadesPerMs)),
  }
}

function padded(row: readonly number[], before: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => row[index - before] ?? 0)
}
