import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { EventLoopDelay, LOOP_PROBE_MS } from './event-loop-delay.ts'

/** A clock that can be made to fire late, as a busy process does. */
class LateClock extends ManualClock {
  lateMs = 0

  override now(): number {
    return super.now() + this.lateMs
  }
}

describe('EventLoopDelay', () => {
  it('looks at the event loop ten times a second, from its start to its end', async () => {
    const clock = new ManualClock()
    const delay = new EventLoopDelay(clock)
    await clock.advance(1000)
    expect(delay.histogram.count).toBe(0)
    delay.start()
    delay.start()
    await clock.advance(1000)
    expect([delay.histogram.count, delay.histogram.sumSeconds]).toEqual([1000 / LOOP_PROBE_MS, 0])
    delay.stop()
    await clock.advance(1000)
    expect(delay.histogram.count).toBe(1000 / LOOP_PROBE_MS)
    expect(clock.pending).toBe(0)
  })

  it('knows how late a timer was', async () => {
    const clock = new LateClock()
    const delay = new EventLoopDelay(clock)
    delay.start()
    clock.lateMs = 30
    await clock.advance(LOOP_PROBE_MS)
    expect(delay.histogram.sumSeconds).toBeCloseTo(0.03)
    delay.stop()
  })
})
