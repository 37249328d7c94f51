import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { barePowerModule } from './bare-power-module.testkit.ts'
import { Fan } from './firmware-fan.ts'
import * as wire from './wire.ts'

const HOUR_MS = 3_600_000

describe('the documented figures of the supply', () => {
  it('have a sag of 12 V by 50 mV per ampere, and of 5 V and 3.3 V by 30 and 6 mV per ampere delivered, a tenth more than is drawn', () => {
    const { load, board, firmware } = barePowerModule()
    board.rails.setDraw(1, undefined)
    const volts = () => (['3v3', '5v0', '12v'] as const).map((rail) => Math.round(firmware.supply.millivolt(rail) * 10) / 10)
    expect(volts()).toEqual([3320, 5150, 12_050])
    load({ '3v3': 1000, '5v0': 1000, '12v': 1000 })
    expect(volts()).toEqual([3320 - 6.6, 5150 - 33, 12_050 - 50])
  })

  it('have a dissipation of half a watt for 5 W from 5 V with an efficiency of 90 %, and none for 12 V with 100 %', () => {
    const { load, board, firmware } = barePowerModule()
    board.rails.setDraw(1, undefined)
    load({ '5v0': 1000 })
    expect(firmware.supply.dissipationWatt()).toBeCloseTo(5.117 * 0.1, 6)
    expect(firmware.supply.totalMilliwatt()).toBeCloseTo(5117 * 1.1, 6)
    load({ '12v': 1000 })
    expect(firmware.supply.dissipationWatt()).toBe(0)
    expect(firmware.supply.totalMilliwatt()).toBeCloseTo(12_000, 6)
  })

  it('have a total overload above 28.75 W, not at it', async () => {
    const { load, board, counters, clock } = barePowerModule()
    board.rails.setDraw(1, undefined)
    // 12.05 V − 50 mV per ampere: 2.0 A are 23.9 W; 4.85 W more from 5 V are 0.87 A, a tenth of that lost.
    load({ '12v': 2000, '5v0': 856 })
    await clock.advance(1000)
    expect(counters().totalOverload).toBe(0)
    load({ '12v': 2000, '5v0': 864 })
    await clock.advance(1000)
    expect(counters().totalOverload).toBe(1)
  })

  it.each([
    ['ovp3v3', '3v3', 3440],
    ['uvp3v3', '3v3', 3240],
    ['ovp5v0', '5v0', 5202],
    ['uvp5v0', '5v0', 4608],
    ['ovp12v', '12v', 12_770],
    ['uvp12v', '12v', 11_300],
  ] as const)(
    'have a threshold for %s: beyond it the protection of %s acts after 5 ms, at %i mV it does not; only 12 V needs no restart',
    async (counter, rail, millivolt) => {
      const { board, counters, clock, firmware, restarts } = barePowerModule()
      const sign = counter.startsWith('ovp') ? 1 : -1
      const offset = millivolt - firmware.supply.millivolt(rail)
      board.rails.setVoltageOffset(rail, offset - sign)
      await clock.advance(1000)
      expect(counters()[counter]).toBe(0)
      board.rails.setVoltageOffset(rail, offset + sign)
      await clock.advance(4.999)
      expect(counters()[counter]).toBe(0)
      await clock.advance(0.001)
      expect(counters()).toMatchObject({ [counter]: 1, sum: 1 })
      expect([board.rails.isOn('12v'), restarts.length]).toEqual(rail === '12v' ? [false, 0] : [true, 1])
    },
  )

  it('count a controller above 125 °C, and again only after it was 5 °C below', async () => {
    const { board, clock, ask, firmware, counters } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 0 })
    await clock.advance(HOUR_MS)
    const above = firmware.thermal.pmcCelsius - board.computer.ambientCelsius
    const counted: number[] = []
    for (const celsius of [124.9, 125.1, 120.1, 125.1, 119.9, 125.1]) {
      board.computer.ambientCelsius = celsius - above
      await clock.advance(HOUR_MS)
      expect(firmware.thermal.pmcCelsius).toBeCloseTo(celsius, 6)
      counted.push(counters().pmcTemperature)
    }
    expect(counted).toEqual([0, 1, 1, 1, 1, 2])
  })

  it('have time constants of 20 s for the controller and 2 minutes for the board', async () => {
    const { board, clock, ask, firmware } = barePowerModule()
    ask(wire.setFan, { forced: true, mode: 0 })
    await clock.advance(HOUR_MS)
    const [pmc, onBoard] = [firmware.thermal.pmcCelsius, firmware.thermal.onBoardCelsius]
    board.computer.ambientCelsius += 10
    await clock.advance(20_000)
    expect(firmware.thermal.pmcCelsius - pmc).toBeCloseTo(6.321, 2)
    await clock.advance(100_000)
    expect(firmware.thermal.onBoardCelsius - onBoard).toBeCloseTo(6.321, 2)
  })
})

describe('the documented figures of the fan', () => {
  it.each([
    [0, 2000, 1000, 4250],
    [0.5, 6000, 1500, 5000],
    [1, 10_000, 2000, 5750],
  ])(
    'depend on the random number: with %f a mode takes %i ms, then %i ms, and gives %i rpm',
    async (chance, appliedMs, followedMs, rpm) => {
      const clock = new ManualClock()
      const fan = new Fan(
        clock,
        () => chance,
        () => undefined,
      )
      fan.setMeasuring(true)
      fan.set(true, 100)
      await clock.advance(appliedMs - 0.001)
      expect(fan.currentMode).toBe(0)
      await clock.advance(0.001)
      expect(fan.currentMode).toBe(100)
      await clock.advance(followedMs - 0.001)
      expect(fan.speed.rpm).toBe(0)
      await clock.advance(0.001)
      expect(fan.speed.rpm).toBe(rpm)
    },
  )
})
