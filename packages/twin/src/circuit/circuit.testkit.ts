import fc from 'fast-check'
import { Circuit, type InitialState } from './analysis/circuit.ts'
import { CircuitNode } from './analysis/circuit-node.ts'
import { GROUND } from './analysis/nodal-matrix.ts'
import type { Branch, Source } from './branch.ts'
import type { Element } from './elements/index.ts'
import { coil, elementKinds, motor, noise, resistor, sineWave, source, squareWave, triangleWave } from './elements/index.ts'
import type { Band } from './events/band.ts'
import { decidedBy } from './events/band.ts'

/** The only node of a circuit whose branches all go to ground. */
export function singleNode(branches: readonly Branch[], initial?: InitialState): CircuitNode {
  const placed = branches.map((branch) => ({ branch, from: 0, to: GROUND }))
  return new CircuitNode(new Circuit(1, placed, initial), 0)
}

/** A node with these elements, from time 0 on. */
export function nodeOf(...elements: readonly Element[]): CircuitNode {
  return singleNode(elements.map((element) => element.branch).filter((branch): branch is Branch => branch !== undefined))
}

/** An element of a kind. */
export function elementFrom(kind: string, settings: Readonly<Record<string, unknown>>): Element {
  return elementKinds[kind as keyof typeof elementKinds].from(settings)
}

/** The same source, with a count of method calls. `onCall` is called at each. */
export function counted(
  element: Element,
  onCall: () => void = () => undefined,
): { readonly source: Source; readonly calls: () => number } {
  let calls = 0
  const proxy = new Proxy(element.branch as Source, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...asked: unknown[]) => {
        calls++
        onCall()
        return (value as (...asked: unknown[]) => unknown).apply(target, asked)
      }
    },
  })
  return { source: proxy, calls: () => calls }
}

/** A change of the level found by sampling: not yet at `afterMs`, but at `byMs`. */
export interface SeenChange {
  readonly afterMs: number
  readonly byMs: number
  readonly isHigh: boolean
}

/** Samples the level at these ascending moments; it was `wasHigh` before the first. */
export function seenChanges(node: CircuitNode, band: Band, wasHigh: boolean, moments: readonly number[]): SeenChange[] {
  const seen: SeenChange[] = []
  let isHigh = decidedBy(band, node.voltsAt(moments[0] ?? 0)) ?? wasHigh
  let afterMs = moments[0] ?? 0
  for (const byMs of moments.slice(1)) {
    const now = decidedBy(band, node.voltsAt(byMs)) ?? isHigh
    if (now !== isHigh) seen.push({ afterMs, byMs, isHigh: now })
    isHigh = now
    afterMs = byMs
  }
  return seen
}

/** `steps` + 1 equidistant moments from 0 to `untilMs`. */
export function equidistant(untilMs: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, step) => (step / steps) * untilMs)
}

const ohms = fc.integer({ min: 1, max: 10_000 })
const levels = fc
  .tuple(fc.integer({ min: -20, max: 40 }), fc.integer({ min: 5, max: 60 }))
  .map(([low, swing]) => ({ lowVolts: low / 10, highVolts: (low + swing) / 10 }))
const duty = fc.integer({ min: 5, max: 95 }).map((percent) => percent / 100)
const phaseDegrees = fc.integer({ min: -360, max: 360 })

/** A waveform with a frequency in this range, whole Hz. */
export function anyWave(minHz: number, maxHz: number): fc.Arbitrary<Element> {
  const frequencyHz = fc.integer({ min: minHz, max: maxHz })
  const of = { frequencyHz, phaseDegrees, ohms }
  return fc.oneof(
    fc.tuple(levels, fc.record({ ...of, duty })).map(([each, wave]) => squareWave({ ...each, ...wave })),
    fc.tuple(levels, fc.record(of)).map(([each, wave]) => sineWave({ ...each, ...wave })),
    fc.tuple(levels, fc.record({ ...of, duty })).map(([each, wave]) => triangleWave({ ...each, ...wave })),
  )
}

export const anyNoise: fc.Arbitrary<Element> = fc
  .tuple(levels, fc.record({ frequencyHz: fc.integer({ min: 5, max: 200 }), seed: fc.nat(), ohms }))
  .map(([each, of]) => noise({ ...each, ...of }))

export const anyLoad: fc.Arbitrary<Element> = ohms.map((each) => resistor({ ohms: each }))

export const anySource: fc.Arbitrary<Element> = fc
  .record({ volts: fc.integer({ min: -12, max: 12 }), ohms })
  .map((of) => source(of))

export const anyCoil: fc.Arbitrary<Element> = fc
  .record({ ohms: fc.integer({ min: 10, max: 1000 }), milliHenry: fc.integer({ min: 1, max: 2000 }) })
  .map((of) => coil({ ohms: of.ohms, henry: of.milliHenry / 1000 }))

export const anyMotor: fc.Arbitrary<Element> = fc
  .record({
    ohms: fc.integer({ min: 10, max: 1000 }),
    startUpMs: fc.integer({ min: 1, max: 300 }),
    henry: fc.constantFrom(0, 0.002, 0.1),
  })
  .map((of) => motor(of))
