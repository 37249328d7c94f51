import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { Steady } from './branch.ts'
import { anyCoil, anyLoad, anyMotor, anyNoise, anySource, anyWave } from './circuit.testkit.ts'
import type { Element } from './elements/index.ts'
import { source } from './elements/index.ts'
import { Wiring } from './wiring.ts'

const ENDS = ['3/1', '5/2'] as const
const FOUR = ['3/1', '3/2', '5/1', '5/2'] as const
const DRIVER = new Steady({ volts: 5.15, ohms: 19 / 6 })
const anyElement = fc.oneof(anyWave(1, 200), anyNoise, anySource, anyLoad, anyCoil, anyMotor)
const elements = fc.array(anyElement, { minLength: 1, maxLength: 4 })
/** For each of two ends: four motors are the limit of a node. */
const few = fc.array(anyElement, { minLength: 1, maxLength: 2 })
const anyStep = fc.integer({ min: 1, max: 400 }).map((tenths) => tenths / 7)

/** Voltages and currents at a terminal over time. */
async function samples(name: string, wiring: Wiring, clock: ManualClock, steps: readonly number[]): Promise<number[]> {
  const seen: number[] = []
  for (const step of steps) {
    await clock.advance(step)
    const terminal = wiring.terminal(name)
    seen.push(terminal.voltsAt(clock.now()), terminal.ampsAt(clock.now()))
  }
  return seen
}

function expectSame(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length)
  for (const [index, value] of expected.entries()) expect(Math.abs((found[index] ?? Number.NaN) - value)).toBeLessThan(1e-6)
}

describe('a wire', () => {
  it('is the same in both directions, with any elements on both ends, at every moment', async () =>
    fc.assert(
      fc.asyncProperty(few, few, fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (here, there, steps) => {
        const seen = async (from: string, to: string): Promise<number[]> => {
          const clock = new ManualClock()
          const wiring = new Wiring(clock)
          wiring.terminal('3/1').drive(DRIVER)
          wiring.wire(from, to)
          for (const element of here) wiring.connect('3/1', element)
          for (const element of there) wiring.connect('5/2', element)
          return samples('3/1', wiring, clock, steps)
        }
        expectSame(await seen('5/2', '3/1'), await seen('3/1', '5/2'))
      }),
      { numRuns: cases(10) },
    ))

  it('has the same effect for an element on either of its ends', async () => {
    const where = fc.array(fc.constantFrom(...ENDS), { minLength: 4, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(elements, where, fc.array(anyStep, { minLength: 1, maxLength: 4 }), async (each, places, steps) => {
        const seen = async (placeOf: (index: number) => string): Promise<number[]> => {
          const clock = new ManualClock()
          const wiring = new Wiring(clock)
          wiring.terminal('3/1').drive(DRIVER)
          wiring.wire('3/1', '5/2')
          each.forEach((element: Element, index) => wiring.connect(placeOf(index), element))
          return samples('3/1', wiring, clock, steps)
        }
        expectSame(await seen((index) => places[index] ?? '3/1'), await seen(() => '3/1'))
      }),
      { numRuns: cases(10) },
    )
  })
})

describe('wires between several terminals', () => {
  const pair = fc.tuple(fc.constantFrom(...FOUR), fc.constantFrom(...FOUR)).filter(([from, to]) => from !== to)
  const wires = fc.array(pair, { minLength: 1, maxLength: 8 })

  /** Groups of connected terminals, computed independently: labels spread until they are stable. */
  function groupsOf(joined: readonly (readonly [string, string])[]): Map<string, string> {
    const label = new Map<string, string>(FOUR.map((name) => [name, name]))
    for (const _ of FOUR) {
      for (const [from, to] of joined) {
        const least = [label.get(from) ?? '', label.get(to) ?? ''].sort()[0] ?? ''
        label.set(from, least)
        label.set(to, least)
      }
    }
    return label
  }

  it('make one node of exactly the connected terminals, also with loops, as wires come and go in any order', () =>
    fc.assert(
      fc.property(wires, fc.array(fc.nat({ max: 7 }), { maxLength: 8 }), (each, cuts) => {
        const wiring = new Wiring()
        FOUR.forEach((name, index) => wiring.connect(name, source({ volts: index + 1, ohms: 100 })))
        const present = each.map((wire) => ({ wire, connection: wiring.wire(...wire) }))
        const check = (): void => {
          const label = groupsOf(present.map(({ wire }) => wire))
          for (const name of FOUR) {
            const mates = FOUR.filter((other) => label.get(other) === label.get(name))
            const mean = mates.reduce((sum, mate) => sum + FOUR.indexOf(mate) + 1, 0) / mates.length
            expect(wiring.terminal(name).voltsAt(0)).toBeCloseTo(mean, 9)
          }
        }
        check()
        for (const cut of cuts) {
          for (const { connection } of present.splice(cut, 1)) connection.disconnect()
          check()
        }
      }),
    ))
})
