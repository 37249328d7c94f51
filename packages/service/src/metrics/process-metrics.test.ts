import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { EventLoopDelay, LOOP_PROBE_MS } from './process-metrics.ts'

/** A clock whose timers fire late, as in a busy process. */
class LateClock extends ManualClock {
  lateMs = 0

  override now(): number {
    return super.now() + this.lateMs
  }
}

describe('EventLoopDelay', () => {
  it('measures ten times a second from start to stop', async () => {
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

  it('records how late a timer fired', async () => {
    const clock = new LateClock()
    const delay = new EventLoopDelay(clock)
    delay.start()
    clock.lateMs = 30
    await clock.advance(LOOP_PROBE_MS)
    expect(delay.histogram.sumSeconds).toBeCloseTo(0.03)
    delay.stop()
  })
})
