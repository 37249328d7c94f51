import { io } from '@slotwire/modules/clients'
import { describe, expect, it } from 'vitest'
import { nearestTo } from './pwm-panel.tsx'

const { nearestPwm, signalOf } = io.extend({} as never)

describe('nearestTo', () => {
  it.each([
    [1000, 50, { prescaler: 0, time_on: 24_000, period: 48_000 }, 1000, 50, true],
    [50, 7.5, { prescaler: 14, time_on: 4800, period: 64_000 }, 50, 7.5, true],
    [700_000, 50, { prescaler: 0, time_on: 35, period: 69 }, 695_652.17, 50.72, false],
  ])('makes %i Hz at %d %% of the clock', (frequencyHz, dutyPercent, setting, made, duty, isExact) => {
    const nearest = nearestTo({ frequencyHz, dutyPercent }, { nearestPwm, signalOf })
    expect(nearest).toMatchObject({ setting, isExact })
    if ('problem' in nearest) return
    expect([nearest.frequencyHz, nearest.duty * 100]).toEqual([expect.closeTo(made, 1), expect.closeTo(duty, 1)])
  })

  it.each([
    [1_000_000, 50, /^frequencyHz is out of range/],
    [undefined, 50, /^frequencyHz is out of range/],
    [1000, 100, /^duty is out of range/],
    [1000, undefined, /^duty is out of range/],
  ])('has a problem with %s Hz at %s %%', (frequencyHz, dutyPercent, problem) => {
    const nearest = nearestTo({ frequencyHz, dutyPercent }, { nearestPwm, signalOf })
    expect('problem' in nearest ? nearest.problem : nearest).toMatch(problem)
  })
})
