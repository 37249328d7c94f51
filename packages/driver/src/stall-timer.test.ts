import { ManualClock } from '@slotwire/core'
import { expect, it } from 'vitest'
import { StallTimer } from './deadline.ts'

it('is stuck when a run does not end within the limit, and reports for how long', async () => {
  const clock = new ManualClock()
  const work = new StallTimer(clock, 10_000)
  expect([work.running, work.stuckSeconds]).toEqual([false, undefined])
  work.begin()
  await clock.advance(10_000)
  expect([work.running, work.stuckSeconds]).toEqual([true, undefined])
  work.begin()
  await clock.advance(2500)
  expect(work.stuckSeconds).toBe(12)
  work.end()
  work.begin()
  expect([work.running, work.stuckSeconds]).toEqual([true, undefined])
})
