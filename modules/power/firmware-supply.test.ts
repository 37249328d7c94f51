import { RAILS } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { barePowerModule } from './bare-power-module.testkit.ts'
import { VOLTAGE_LIMITS } from './firmware-supply.ts'
import * as wire from './wire.ts'

it('SOURCE returns the figures of the document', () =>
  expect(barePowerModule().ask(wire.getSource, {})).toEqual({
    source_3v3: 17_671,
    source_5v0: 22_275,
    source_12v: 28_750,
    source_total: 28_750,
    efficiency_factor_3v3: 90,
    efficiency_factor_5v0: 90,
    efficiency_factor_12v: 100,
  }))

describe('CURRENT_LIMIT', () => {
  const INITIAL = { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 }
  const ALL_TAKEN = { limit_3v3: true, limit_5v0: true, limit_12v: true }

  it('is the highest possible until it is set', () => expect(barePowerModule().stats()).toMatchObject(INITIAL))

  it.each([
    [1001, 1001, 101],
    [5949, 4949, 2399],
    [2000, 3000, 1500],
  ])('accepts %d, %d, %d mA', (limit_3v3, limit_5v0, limit_12v) => {
    const { setLimits, stats } = barePowerModule()
    expect(setLimits(limit_3v3, limit_5v0, limit_12v)).toEqual(ALL_TAKEN)
    expect(stats()).toMatchObject({ limit_3v3, limit_5v0, limit_12v })
  })

  it.each([
    [1000, 1000, 100],
    [5950, 4950, 2400],
    [0, 0, 0],
    [0xffffffff, 0xffffffff, 0xffffffff],
  ])('accepts none of %d, %d, %d mA: the bounds are exclusive', (limit_3v3, limit_5v0, limit_12v) => {
    const { setLimits, stats } = barePowerModule()
    expect(setLimits(limit_3v3, limit_5v0, limit_12v)).toEqual({ limit_3v3: false, limit_5v0: false, limit_12v: false })
    expect(stats()).toMatchObject(INITIAL)
  })

  it('is accepted for each rail separately', () => {
    const { setLimits, stats } = barePowerModule()
    expect(setLimits(2000, 4950, 200)).toEqual({ ...ALL_TAKEN, limit_5v0: false })
    expect(stats()).toMatchObject({ limit_3v3: 2000, limit_5v0: 4949, limit_12v: 200 })
  })

  it('is initial again after a reset', () => {
    const { setLimits, firmware, stats } = barePowerModule()
    setLimits(1001, 1001, 101)
    firmware.reset()
    expect(stats()).toMatchObject(INITIAL)
  })
})

describe('VOLTAGE_CURRENT_STATUS', () => {
  it('adds up the draw of the slots, with the dissipation of each rail', () => {
    const { stats, load, board } = barePowerModule()
    const idle = { '3v3': board.rails.current('3v3'), '5v0': board.rails.current('5v0'), '12v': board.rails.current('12v') }
    load({ '3v3': 1000, '5v0': 2000, '12v': 300 })
    expect(stats()).toMatchObject({
      current_3v3: Math.round((idle['3v3'] + 1000) * 1.1),
      current_5v0: Math.round((idle['5v0'] + 2000) * 1.1),
      current_12v: idle['12v'] + 300,
    })
  })

  it('keeps the voltages inside the protection limits up to the highest current limits', () => {
    const { load, firmware } = barePowerModule()
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      load({ '3v3': (5949 / 1.1) * share, '5v0': (4949 / 1.1) * share, '12v': 2399 * share })
      for (const rail of RAILS) {
        expect(firmware.supply.millivolt(rail)).toBeGreaterThan(VOLTAGE_LIMITS[rail].min)
        expect(firmware.supply.millivolt(rail)).toBeLessThan(VOLTAGE_LIMITS[rail].max)
      }
    }
  })

  it('shows 0 for a rail that is off', () => {
    const { stats, load, board } = barePowerModule()
    load({ '12v': 500 })
    board.rails.switchRail('12v', false)
    expect(stats()).toMatchObject({ voltage_12v: 0, current_12v: 0 })
  })
})
