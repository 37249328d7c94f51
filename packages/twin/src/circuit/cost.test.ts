import { describe, expect, it } from 'vitest'
import type { Source } from './branch.ts'
import { Steady } from './branch.ts'
import { counted, singleNode } from './circuit.testkit.ts'
import { coil, motor, resistor, sineWave, squareWave, triangleWave } from './elements/index.ts'
import { CrossingSearch } from './events/crossing-search.ts'
import { LevelTracker } from './events/level-tracker.ts'

const BAND = { lowVolts: 1.5, highVolts: 2.5 }
const SECOND_MS = 1000
const MEGAHERTZ = 1_000_000

describe('a second of 1 MHz', () => {
  it.each([
    ['a square wave', squareWave({ frequencyHz: MEGAHERTZ, lowVolts: 0, highVolts: 5 })],
    ['a sine', sineWave({ frequencyHz: MEGAHERTZ, lowVolts: 0, highVolts: 5 })],
    ['a triangle', triangleWave({ frequencyHz: MEGAHERTZ, lowVolts: 0, highVolts: 5 })],
  ])('needs less than 200 calls to count %s', (_name, wave) => {
    const { source, calls } = counted(wave)
    const tracker = new LevelTracker(singleNode([source, resistor({ ohms: 1000 }).branch as Source]), BAND, 0, false)
    expect(Math.abs(tracker.rises(0.25, SECOND_MS + 0.25) - MEGAHERTZ)).toBeLessThanOrEqual(1)
    expect(calls()).toBeLessThan(200)
  })

  it('needs little more than one period for waves with a common period', () => {
    const base = counted(squareWave({ frequencyHz: MEGAHERTZ / 10, lowVolts: 0, highVolts: 5, ohms: 100 }))
    const third = counted(squareWave({ frequencyHz: (3 * MEGAHERTZ) / 10, lowVolts: 0, highVolts: 5, ohms: 100 }))
    const tracker = new LevelTracker(singleNode([base.source, third.source]), BAND, 0, false)
    const inPeriod = tracker.rises(1.0003, 1.0103)
    expect(inPeriod).toBeGreaterThan(0)
    expect(Math.abs(tracker.rises(0, SECOND_MS) - (inPeriod * MEGAHERTZ) / 10)).toBeLessThanOrEqual(3)
    expect(base.calls() + third.calls()).toBeLessThan(1000)
  })

  it.each([
    ['a coil', coil({ ohms: 1000, henry: 0.001 })],
    ['a coil that settles for seconds', coil({ ohms: 1000, henry: 100 })],
    ['a motor that starts for seconds', motor({ ohms: 1000 })],
  ])('needs only some periods on %s', (_name, { branch: load }) => {
    const { source, calls } = counted(squareWave({ frequencyHz: MEGAHERTZ, lowVolts: 0, highVolts: 5, ohms: 10 }))
    const node = singleNode([source, ...(load === undefined ? [] : [load]), new Steady({ volts: 0, ohms: 20 })])
    const tracker = new LevelTracker(node, BAND, 0, false)
    expect(Math.abs(tracker.rises(SECOND_MS, 2 * SECOND_MS) - MEGAHERTZ)).toBeLessThanOrEqual(1)
    expect(calls()).toBeLessThan(20_000)
  })

  it('walks over no more edges than allowed while a motor starts', () => {
    const wave = squareWave({ frequencyHz: MEGAHERTZ, lowVolts: 0, highVolts: 5, ohms: 10 }).branch as Source
    const load = motor({ ohms: 1000 }).branch
    const walk = new CrossingSearch(singleNode([wave, ...(load === undefined ? [] : [load])]), SECOND_MS, 600)
    let crossings = 0
    for (; !walk.isOver && crossings < 1000; crossings++) walk.next(2.5, crossings % 2 === 0 ? 'below' : 'above')
    expect(crossings).toBeLessThanOrEqual(600)
  })

  it('finds the next edge fast, also after an hour', () => {
    const { source, calls } = counted(squareWave({ frequencyHz: MEGAHERTZ, lowVolts: 0, highVolts: 5 }))
    const tracker = new LevelTracker(singleNode([source]), BAND, 0, false)
    const fromMs = 3600 * SECOND_MS + 0.0002
    expect(tracker.next(fromMs, 'rising').atMs).toBeCloseTo(3600 * SECOND_MS + 0.001, 6)
    expect(calls()).toBeLessThan(50)
  })
})
