import { describe, expect, it } from 'vitest'
import type { Seen } from './random-circuit.testkit.ts'
import { describeCircuit, isApproximated, randomCircuit, seenBySimulation, seenByTwin } from './random-circuit.testkit.ts'

/** Largest difference, as a share of the circuit's largest voltage. */
const DIFFERENCE = 0.001
/** Where the twin approximates; see the page on the twin. */
const APPROXIMATE_DIFFERENCE = 0.02
/** How much a trace may exceed the simulation, which may step over a short peak. */
const EXCESS = 0.01
/** How much of the largest voltage a trace may miss. */
const MISSED = 0.1
/** With noise, whose highest value comes once. */
const MISSED_NOISE = 0.25
const LIMIT_MS = 30_000

/** Declares a comparison of random circuits with seeds from `first` on. Prints the seeds. */
export function describeRandomCircuits(count: number, first: number): void {
  describe(`${count} random circuits (seeds from ${first} on)`, () => {
    it(
      'have the voltages, currents and traces of an independent simulation, in any order of connecting',
      async () => {
        for (let seed = first; seed < first + count; seed++) await compare(seed)
      },
      count * LIMIT_MS,
    )
  })
}

async function compare(seed: number): Promise<void> {
  const circuit = randomCircuit(seed)
  const name = `seed ${seed}: ${describeCircuit(circuit)}`
  const twin = await seenByTwin(circuit, seed)
  expect(await seenByTwin(circuit, seed + 1), `order of connecting, ${name}`).toEqual(twin)
  const simulated = seenBySimulation(circuit)
  const scale = Math.max(...simulated.ranges.flat().map(Math.abs))
  const allowed = scale * (isApproximated(circuit) ? APPROXIMATE_DIFFERENCE : DIFFERENCE)
  const all = ({ volts, drops }: Seen): readonly number[] => [...volts, ...drops]
  for (const [index, volts] of all(twin).entries())
    expect(Math.abs(volts - (all(simulated)[index] ?? Number.NaN)), name).toBeLessThanOrEqual(allowed)
  const missed = circuit.parts.some(({ element }) => element.kind === 'noise') ? MISSED_NOISE : MISSED
  for (const [index, [lowest, highest]] of twin.ranges.entries()) {
    const [low, high] = simulated.ranges[index] ?? [Number.NaN, Number.NaN]
    expect(Math.max(low - lowest, highest - high), `trace beyond, ${name}`).toBeLessThanOrEqual(allowed + EXCESS * scale)
    expect(Math.max(lowest - low, high - highest), `trace short, ${name}`).toBeLessThanOrEqual(missed * scale)
  }
}
