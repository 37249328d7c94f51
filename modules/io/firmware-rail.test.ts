import { resistor, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'

/** 2 ms until it counts, 20 ms until it is told. */
const ALERT_MS = 22

function driving(rail: '5_volt' | '12_volt', ohms?: number): BareIoModule {
  const io = new BareIoModule()
  io.power(rail === '5_volt' ? 300 : 500, rail)
  io.output(1, 'high')
  if (ohms !== undefined) io.wiring.connect('5/1', resistor({ ohms }))
  return io
}

describe('a rail whose voltage is wrong', () => {
  it.each([
    ['5_volt', '5v0', -100, 5050],
    ['5_volt', '5v0', 40, 5190],
    ['12_volt', '12v', -700, 11_350],
    ['12_volt', '12v', 300, 12_350],
  ] as const)('takes the outputs on %s with it: %s off by %i mV reads %i mV', (rail, supply, offset, millivolt) => {
    const io = driving(rail)
    io.rails.setVoltageOffset(supply, offset)
    expect(io.value(1)).toEqual(['voltageMillivolt', millivolt])
    io.rails.setVoltageOffset(supply, 0)
    expect(io.value(1)).toEqual(['voltageMillivolt', rail === '5_volt' ? 5150 : 12_050])
  })

  it('is the one of the pin: outputs on the other rail stay as they are', () => {
    const io = driving('5_volt')
    io.rails.setVoltageOffset('12v', -700)
    expect(io.value(1)).toEqual(['voltageMillivolt', 5150])
  })

  it('is what a pin finds that is driven later', () => {
    const io = driving('12_volt')
    io.rails.setVoltageOffset('12v', -700)
    io.output(2, 'high')
    expect(io.value(2)).toEqual(['voltageMillivolt', 11_350])
  })

  it('is never below 0 V', () => {
    const io = driving('12_volt')
    io.rails.setVoltageOffset('12v', -15_000)
    expect(io.value(1)).toEqual(['voltageMillivolt', 0])
    expect(io.milliampere(1)).toBe(2)
  })

  it('lets a loaded output fall below its minimum: under_voltage_alert, and the pin is analog', async () => {
    // 12.05 V over 21 Ω and 3.1 Ω are 10.5 V; of 11.75 V the same load leaves 10.24 V.
    const io = driving('12_volt', 21)
    await io.clock.advance(100)
    expect(io.told).toEqual([])
    io.rails.setVoltageOffset('12v', -300)
    expect(io.value(1)).toEqual(['voltageMillivolt', 10_240])
    await io.clock.advance(100)
    expect(io.toldAt('underVoltageAlert', 1)).toEqual([100 + ALERT_MS])
    expect(io.toldAt('highCurrentAlert', 1)).toEqual([])
    expect(io.value(1)).toEqual(['voltageMillivolt', 0])
    expect(io.milliampere(1)).toBe(0)
  })

  it('spares an output without load, and one that is low', async () => {
    const io = driving('12_volt')
    io.output(2, 'low')
    io.rails.setVoltageOffset('12v', -700)
    await io.clock.advance(1000)
    expect(io.told).toEqual([])
  })

  it('that is too high lifts its outputs beyond 0.5 V: high_voltage_alert', async () => {
    const io = driving('12_volt')
    io.rails.setVoltageOffset('12v', 490)
    await io.clock.advance(100)
    expect(io.told).toEqual([])
    io.rails.setVoltageOffset('12v', 510)
    await io.clock.advance(100)
    expect(io.toldAt('highVoltageAlert', 1)).toEqual([120])
  })

  it('draws less from its rail in proportion', () => {
    const io = driving('12_volt', 100)
    expect(io.rails.current('12v')).toBeCloseTo((12.05 / 103.1) * 1000 + 2, 6)
    io.rails.setVoltageOffset('12v', -1000)
    expect(io.rails.current('12v')).toBeCloseTo((11.05 / 103.1) * 1000 + 2, 6)
  })

  it('reaches the high part of a pwm, which goes on where it was', async () => {
    const io = driving('12_volt')
    io.pwm(1, 47_999, 30, 100)
    await io.clock.advance(10)
    io.rails.setVoltageOffset('12v', -700)
    expect(io.value(1)).toEqual(['voltageMillivolt', 11_350])
    await io.clock.advance(19.9)
    expect(io.value(1)).toEqual(['voltageMillivolt', 11_350])
    await io.clock.advance(0.2)
    expect(io.value(1)).toEqual(['voltageMillivolt', 0])
  })
})

describe('the load of a rail', () => {
  it('does not lower its outputs, and they read 10.5 V at their full current whatever else the rail carries', async () => {
    const io = driving('12_volt', 21)
    io.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 1500 })
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['voltageMillivolt', 10_500])
    expect(io.told).toEqual([])
  })
})

describe('a driven pin against a square wave from outside', () => {
  it('tells its rail the mean of what it delivers, and nothing while it sinks', () => {
    const io = driving('5_volt')
    // 0 V half of the time, and what is 0.2 V above the rail in the other half.
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1000, lowVolts: 0, highVolts: 5.35, ohms: 100 }))
    expect(io.rails.current('5v0')).toBeCloseTo((5.15 / (100 + 19 / 6)) * 500 + 2, 6)
  })
})
