import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { ServedTime } from './serve-time.ts'

function served() {
  const base = new ManualClock()
  return { base, time: new ServedTime(base) }
}

describe('ServedTime', () => {
  it('has a pace, and steps while stopped', async () => {
    const { base, time } = served()
    expect(time.pace).toBe(1)
    time.pace = 0
    await base.advance(1000)
    await time.step(30)
    expect([time.now(), time.clock.now()]).toEqual([30, 30])
    expect(() => {
      time.pace = -1
    }).toThrow(RangeError)
  })

  it('runs at real pace after release, so that waits for a module end', async () => {
    const { base, time } = served()
    time.pace = 0
    let isClosed = false
    time.clock.after(200, () => {
      isClosed = true
    })
    time.release()
    await base.advance(200)
    expect(isClosed).toBe(true)
  })

  it('refuses changes after release, and ends a running step', async () => {
    const { time } = served()
    time.pace = 0
    time.clock.after(1e6, () => undefined)
    const step = time.step(1e9)
    time.release()
    await step
    expect(time.now()).toBeLessThan(1e6)
    expect(() => {
      time.pace = 0
    }).toThrow('stopping')
    await expect(time.step(1)).rejects.toThrow('stopping')
    expect(time.pace).toBe(1)
  })
})
