import { resistor, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { type BareIoModule, powered } from './firmware.testkit.ts'

/** 2 ms until it counts, 20 ms until it is reported. */
const ALERT_MS = 22

function driving(rail: '5_volt' | '12_volt', ohms?: number): BareIoModule {
  const io = powered(rail === '5_volt' ? 300 : 500, rail)
  io.output(1, 'high')
  if (ohms !== undefined) io.wiring.connect('5/1', resistor({ ohms }))
  return io
}

describe('a rail with a wrong voltage', () => {
  it.each([
    ['5_volt', '5v0', -100, 5050],
    ['5_volt', '5v0', 40, 5190],
    ['12_volt', '12v', -700, 11_350],
    ['12_volt', '12v', 300, 12_350],
  ] as const)('moves the outputs on %s: %s off by %i mV reads %i mV', (rail, supply, offset, millivolt) => {
    const io = driving(rail)
    io.rails.setVoltageOffset(supply, offset)
    expect(io.value(1)).toEqual(['voltage_millivolt', millivolt])
    io.rails.setVoltageOffset(supply, 0)
    expect(io.value(1)).toEqual(['voltage_millivolt', rail === '5_volt' ? 5150 : 12_050])
  })

  it('does not affect outputs on the other rail', () => {
    const io = driving('5_volt')
    io.rails.setVoltageOffset('12v', -700)
    expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
  })

  it('applies to a pin that is driven later', () => {
    const io = driving('12_volt')
    io.rails.setVoltageOffset('12v', -700)
    io.output(2, 'high')
    expect(io.value(2)).toEqual(['voltage_millivolt', 11_350])
  })

  it('never makes the reading negative', () => {
    const io = driving('12_volt')
    io.rails.setVoltageOffset('12v', -15_000)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    expect(io.milliampere(1)).toBe(2)
  })

  it('puts a loaded output below its minimum: under_voltage_alert, and the pin becomes analog', async () => {
    // 12.05 V over 21 Ω and 3.1 Ω are 10.5 V; with 11.75 V the same load leaves 10.24 V.
    const io = driving('12_volt', 21)
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    io.rails.setVoltageOffset('12v', -300)
    expect(io.value(1)).toEqual(['voltage_millivolt', 10_240])
    await io.clock.advance(100)
    expect(io.alertTimes('underVoltageAlert', 1)).toEqual([100 + ALERT_MS])
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([])
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    expect(io.milliampere(1)).toBe(0)
  })

  it('raises no alert on an output without load or on a low one', async () => {
    const io = driving('12_volt')
    io.output(2, 'low')
    io.rails.setVoltageOffset('12v', -700)
    await io.clock.advance(1000)
    expect(io.alerts).toEqual([])
  })

  it('raises high_voltage_alert if it is more than 0.5 V too high', async () => {
    const io = driving('12_volt')
    io.rails.setVoltageOffset('12v', 490)
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    io.rails.setVoltageOffset('12v', 510)
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([120])
  })

  it('changes the draw from its rail in proportion', () => {
    const io = driving('12_volt', 100)
    expect(io.rails.current('12v')).toBeCloseTo((12.05 / 103.1) * 1000 + 2, 6)
    io.rails.setVoltageOffset('12v', -1000)
    expect(io.rails.current('12v')).toBeCloseTo((11.05 / 103.1) * 1000 + 2, 6)
  })

  it('changes the high part of a pwm, which keeps its phase', async () => {
    const io = driving('12_volt')
    io.pwm(1, 47_999, 30, 100)
    await io.clock.advance(10)
    io.rails.setVoltageOffset('12v', -700)
    expect(io.value(1)).toEqual(['voltage_millivolt', 11_350])
    await io.clock.advance(19.9)
    expect(io.value(1)).toEqual(['voltage_millivolt', 11_350])
    await io.clock.advance(0.2)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
  })
})

it('the load of a rail does not lower its outputs, which read 10.5 V at full current under any other load', async () => {
  const io = driving('12_volt', 21)
  io.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 1500 })
  await io.clock.advance(1000)
  expect(io.value(1)).toEqual(['voltage_millivolt', 10_500])
  expect(io.alerts).toEqual([])
})

it('a driven pin against a square wave from outside draws the mean of what it delivers from its rail, and 0 while it sinks', () => {
  const io = driving('5_volt')
  // 0 V half of the time, and 0.2 V above the rail the other half.
  io.wiring.connect('5/1', squareWave({ frequencyHz: 1000, lowVolts: 0, highVolts: 5.35, ohms: 100 }))
  expect(io.rails.current('5v0')).toBeCloseTo((5.15 / (100 + 19 / 6)) * 500 + 2, 6)
})
