import { ManualClock } from '@slotwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeatNode } from './heat.ts'

const TIME_CONSTANT_MS = 10_000

describe('HeatNode', () => {
  it('keeps its initial temperature', async () => {
    const clock = new ManualClock()
    const node = new HeatNode(clock, 25, TIME_CONSTANT_MS)
    await clock.advance(1e6)
    expect(node.celsius).toBe(25)
  })

  it('covers 63 % of the way in one time constant, and 63 % of the rest in the next', async () => {
    const clock = new ManualClock()
    const node = new HeatNode(clock, 0, TIME_CONSTANT_MS)
    node.drive(100)
    await clock.advance(TIME_CONSTANT_MS)
    expect(node.celsius).toBeCloseTo(63.212, 3)
    await clock.advance(TIME_CONSTANT_MS)
    expect(node.celsius).toBeCloseTo(86.466, 3)
  })

  it('changes without a jump when its target changes', async () => {
    const clock = new ManualClock()
    const node = new HeatNode(clock, 0, TIME_CONSTANT_MS)
    node.drive(100)
    await clock.advance(5000)
    const before = node.celsius
    node.drive(-50)
    expect(node.celsius).toBeCloseTo(before, 9)
    await clock.advance(1000)
    expect(node.celsius).toBeLessThan(before)
  })

  it('predicts when it reaches a level', async () => {
    const level = fc.integer({ min: -4000, max: 20_000 }).map((hundredths) => hundredths / 100)
    await fc.assert(
      fc.asyncProperty(level, level, level, async (start, target, wanted) => {
        const clock = new ManualClock()
        const node = new HeatNode(clock, start, TIME_CONSTANT_MS)
        node.drive(target)
        const waitMs = node.msUntil(wanted)
        if (waitMs === Number.POSITIVE_INFINITY) {
          expect((wanted - start) * (target - wanted)).toBeLessThanOrEqual(0)
        } else {
          await clock.advance(waitMs)
          expect(node.celsius).toBeCloseTo(wanted, 5)
        }
      }),
    )
  })

  it('never reaches its target', () => {
    const node = new HeatNode(new ManualClock(), 0, TIME_CONSTANT_MS)
    node.drive(100)
    expect(node.msUntil(100)).toBe(Number.POSITIVE_INFINITY)
    expect(node.msUntil(-1)).toBe(Number.POSITIVE_INFINITY)
    expect(node.msUntil(0)).toBe(0)
  })
})
