import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Branch } from '../branch.ts'
import { Steady } from '../branch.ts'
import { singleNode } from '../circuit.testkit.ts'
import { sineWave, squareWave, triangleWave } from '../elements/index.ts'
import { NEVER } from './crossing-search.ts'
import { LevelTracker } from './level-tracker.ts'

const band = { lowVolts: 1.5, highVolts: 2.5 }
/** A level is crossed a microvolt beyond it, some nanoseconds late. */
const MICROVOLT_DIGITS = 4

function steady(volts: number): Branch {
  return new Steady({ volts, ohms: 1 })
}

function wave(of: { frequencyHz: number; lowVolts: number; highVolts: number; duty?: number; ohms?: number }): Branch {
  return squareWave(of).branch as Branch
}

function track(...branches: Branch[]): LevelTracker {
  return new LevelTracker(singleNode(branches), band, 0, false)
}

describe('a level with hysteresis', () => {
  it('is high above the band and low below it', () => {
    expect(track(steady(2.51)).isHigh(0)).toBe(true)
    expect(track(steady(1.49)).isHigh(0)).toBe(false)
  })

  it('stays unchanged inside the band, including its edges and their rounding', () => {
    for (const volts of [1.5, 1.499_999_999_999_999_8, 2, 2.5, 2.500_000_000_000_000_4]) {
      const node = singleNode([steady(volts)])
      expect(new LevelTracker(node, band, 0, true).isHigh(1)).toBe(true)
      expect(new LevelTracker(node, band, 0, false).isHigh(1)).toBe(false)
    }
  })

  it('follows a square wave edge by edge', () => {
    const level = track(wave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    expect([0, 4.9, 5, 9.9, 10].map((atMs) => level.isHigh(atMs))).toEqual([true, true, false, false, true])
    expect(level.next(0, 'falling')).toEqual({ found: true, atMs: 5 })
    expect(level.next(0, 'rising')).toEqual({ found: true, atMs: 10 })
    expect(level.next(5, 'falling')).toEqual({ found: true, atMs: 15 })
  })

  it('is kept on another node', () => {
    const high = track(steady(5))
    expect(high.movedTo(singleNode([steady(2)]), 7).isHigh(8)).toBe(true)
  })
})

describe('a level on a sine or a triangle', () => {
  // 5 V ± 5 V: 2.5 V is half of the amplitude below the middle, 30° before it; 1.5 V is 0.7 of it below, 44.427° before it.
  const sine = track(sineWave({ frequencyHz: 1000 / 360, lowVolts: 0, highVolts: 10 }).branch as Branch)

  it('rises and falls at the computed times, hysteresis included', () => {
    expect(sine.isHigh(0)).toBe(true)
    expect(sine.next(0, 'falling').atMs).toBeCloseTo(180 + (Math.asin(0.7) / Math.PI) * 180, MICROVOLT_DIGITS)
    expect(sine.next(0, 'rising').atMs).toBeCloseTo(330, MICROVOLT_DIGITS)
    expect(sine.isHigh(220)).toBe(true)
    expect(sine.isHigh(230)).toBe(false)
    expect(sine.isHigh(329)).toBe(false)
    expect(sine.isHigh(331)).toBe(true)
  })

  it('keeps its initial value until the voltage leaves the band', () => {
    // A triangle of 10 ms from 0 to 4 V, 0.8 V per ms, begins at 2 V, inside the band: rising, with its peak after 2.5 ms, or falling.
    const up = { frequencyHz: 100, lowVolts: 0, highVolts: 4, phaseDegrees: 90 }
    const down = { ...up, phaseDegrees: 270 }
    for (const [of, wasHigh, rising, falling] of [
      [up, false, 0.3125, 6.25],
      [up, true, 10.3125, 6.25],
      [down, false, 5.3125, 11.25],
      [down, true, 5.3125, 1.25],
    ] as const) {
      const node = singleNode([triangleWave(of).branch as Branch])
      const level = new LevelTracker(node, { lowVolts: 1, highVolts: 2.25 }, 0, wasHigh)
      expect(level.isHigh(0)).toBe(wasHigh)
      expect(level.next(0, 'rising').atMs).toBeCloseTo(rising, MICROVOLT_DIGITS)
      expect(level.next(0, 'falling').atMs).toBeCloseTo(falling, MICROVOLT_DIGITS)
    }
  })

  it('does not change while the wave stays inside the band', () => {
    const still = track(sineWave({ frequencyHz: 100, lowVolts: 1.5, highVolts: 2.5 }).branch as Branch)
    expect([still.next(0, 'rising'), still.next(0, 'falling')]).toEqual([NEVER, NEVER])
    expect(still.rises(0, 1e9)).toBe(0)
  })

  it('changes once on a wave that leaves the band on one side only', () => {
    const once = track(sineWave({ frequencyHz: 100, lowVolts: 2, highVolts: 4, phaseDegrees: -90 }).branch as Branch)
    expect(once.isHigh(0)).toBe(false)
    expect(once.next(0, 'rising').atMs).toBeCloseTo((Math.acos(0.5) / Math.PI) * 5, MICROVOLT_DIGITS)
    expect(once.rises(0, 1e6)).toBe(1)
    expect(once.isHigh(10)).toBe(true)
    expect(once.next(5, 'falling')).toBe(NEVER)
  })

  it('is high at every rise that next finds, and low at every fall', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.nat({ max: 1e8 }), fc.boolean(), (frequencyHz, fromMs, isSine) => {
        const kind = isSine ? sineWave : triangleWave
        const level = track(kind({ frequencyHz, lowVolts: 0, highVolts: 5, phaseDegrees: 33 }).branch as Branch)
        const rise = level.next(fromMs, 'rising').atMs
        const fall = level.next(rise, 'falling').atMs
        expect([rise > fromMs, level.isHigh(rise), fall > rise, level.isHigh(fall)]).toEqual([true, true, true, false])
        expect(level.next(fall, 'rising').atMs - rise).toBeCloseTo(1000 / frequencyHz, 6)
      }),
    ))
})

describe('LevelTracker.rises', () => {
  it.each([
    ['sine', sineWave],
    ['triangle', triangleWave],
    ['square wave', squareWave],
  ] as const)('counts a %s of 1 Hz to 1 MHz exactly, over any second', (_, kind) =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.nat({ max: 100_000_000 }), (frequencyHz, fromMs) => {
        const rises = track(kind({ frequencyHz, lowVolts: 0, highVolts: 5 }).branch as Branch).rises(fromMs, fromMs + 1000)
        // Rounding may move an edge over the end of the window.
        expect(Math.abs(rises - frequencyHz)).toBeLessThanOrEqual(1)
      }),
    ),
  )

  it('includes the end of the window and excludes its start', () => {
    const level = track(wave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    expect(level.rises(0, 10)).toBe(1)
    expect(level.rises(10, 20)).toBe(1)
    expect(level.rises(10, 19.9)).toBe(0)
  })

  it('counts the low parts of an inverted wave', () => {
    const level = track(wave({ frequencyHz: 100, lowVolts: 5, highVolts: 0, duty: 0.2 }))
    expect(level.rises(0, 1000)).toBe(100)
    expect(level.next(0, 'rising')).toEqual({ found: true, atMs: 2 })
  })

  it('extrapolates for waves of similar speed without a common period, instead of walking over a million edges', () => {
    const level = track(
      wave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5, ohms: 10 }),
      wave({ frequencyHz: 999_983, lowVolts: 0, highVolts: 0.5, ohms: 100 }),
    )
    expect(level.rises(0, 1000)).toBeGreaterThan(990_000)
    expect(level.rises(0, 1000)).toBeLessThan(1_010_000)
  })
})
