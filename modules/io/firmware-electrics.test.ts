import { resistor, source } from '@slotwire/twin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { milliampereReading, millivoltReading } from './circuit.ts'
import { BareIoModule, powered } from './firmware.testkit.ts'

describe('readings', () => {
  it.each([
    [3.2673, 3270],
    [0.004, 0],
    [0.005, 10],
    [-3, 0],
    [24.999, 25_000],
    [48, 25_000],
  ])('turn %f V into %i mV: 10 mV steps, 0…25 V', (volts, millivolt) => expect(millivoltReading(volts)).toBe(millivolt))

  it.each([
    [0.1004, 0, 100],
    [-0.1006, 2, 103],
    [1000, 0, 65_535],
  ])('turn %f A with %i mA of loss into %i mA: 1 mA steps, in either direction', (amps, loss, milliampere) =>
    expect(milliampereReading(amps, loss)).toBe(milliampere),
  )

  it('treat an input as 1 MΩ to ground: 3.3 V behind 10 kΩ read 3270 mV', () => {
    const io = new BareIoModule()
    io.wiring.connect('5/3', resistor({ ohms: 10_000, volts: 3.3 }))
    expect(io.value(3)).toEqual(['voltage_millivolt', 3270])
    expect(io.milliampere(3)).toBe(0)
  })

  it('show the rail and the switching loss for an output without load', () => {
    const io = powered()
    io.output(1, 'high')
    io.output(2, 'low')
    io.pwm(3, 0, 100, 48_000)
    expect([1, 2, 3, 4].map((pin) => io.milliampere(pin))).toEqual([2, 2, 4, 0])
    expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
    const io12 = powered(500, '12_volt')
    io12.output(1, 'high')
    expect(io12.value(1)).toEqual(['voltage_millivolt', 12_050])
  })

  it('follow the load of an output: 51.5 Ω on 5 V are 4850 mV and 94 mA', () => {
    const io = powered()
    io.output(1, 'high')
    io.wiring.connect('5/1', resistor({ ohms: 51.5 }))
    expect(io.value(1)).toEqual(['voltage_millivolt', millivoltReading((5.15 * 51.5) / (51.5 + 19 / 6))])
    expect(io.value(1)[1]).toBe(4850)
    expect(io.milliampere(1)).toBe(96)
  })

  it('show the sink current of a low output: 5 V behind 99 Ω are 50 mV and 50 mA', () => {
    const io = powered()
    io.output(1, 'low')
    io.wiring.connect('5/1', source({ volts: 5, ohms: 99 }))
    expect(io.value(1)).toEqual(['voltage_millivolt', 50])
    expect(io.milliampere(1)).toBe(52)
  })

  it('show the level and the current of a pwm at the moment of sampling', async () => {
    const io = powered()
    io.wiring.connect('5/1', resistor({ ohms: 51.5 }))
    io.pwm(1, 47_999, 30, 100)
    await io.clock.advance(29)
    expect([io.value(1)[1], io.milliampere(1)]).toEqual([4850, 98])
    await io.clock.advance(2)
    expect([io.value(1)[1], io.milliampere(1)]).toEqual([0, 4])
  })

  it('continue after 50 V from outside, which a port survives', async () => {
    const io = powered()
    io.output(1, 'high')
    const outside = io.wiring.connect('5/1', source({ volts: 50 }))
    expect(io.value(1)).toEqual(['voltage_millivolt', 25_000])
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([20])
    expect(io.milliampere(1)).toBe(0)
    outside.disconnect()
    io.output(1, 'high')
    expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
  })

  it('never rise with more load', () =>
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (ohms, less) => {
        const io = powered()
        io.output(1, 'high')
        io.wiring.connect('5/1', resistor({ ohms }))
        const before = [io.value(1)[1], io.milliampere(1)] as const
        io.wiring.connect('5/1', resistor({ ohms: less }))
        expect(io.value(1)[1]).toBeLessThanOrEqual(before[0])
        expect(io.milliampere(1)).toBeGreaterThanOrEqual(before[1])
      }),
    ))
})

it.each([
  { rail: '5_volt', limit: 300, least: 4200, most: 5200 },
  { rail: '12_volt', limit: 500, least: 10_500, most: 12_100 },
] as const)(
  'an output held high reads $least…$most mV on $rail, for every load up to $limit mA',
  ({ rail, limit, least, most }) =>
    fc.assert(
      fc.property(fc.integer({ min: Math.ceil((least / limit) * 1000) / 1000, max: 100_000 }), (ohms) => {
        const io = powered(limit, rail)
        io.output(1, 'high')
        io.wiring.connect('5/1', resistor({ ohms }))
        expect(io.value(1)[1]).toBeGreaterThanOrEqual(least)
        expect(io.value(1)[1]).toBeLessThanOrEqual(most)
      }),
    ),
)

describe('the draw from the rails', () => {
  it('stays below the lowest limits while nothing is driven', () => {
    const io = new BareIoModule()
    expect(2 * io.rails.current('3v3')).toBeLessThan(500)
    expect(2 * io.rails.current('5v0')).toBeLessThan(500)
    expect(2 * io.rails.current('12v')).toBeLessThan(50)
  })

  it('grows by the current of a high output and its loss', () => {
    const io = powered()
    const idle = io.rails.current('5v0')
    io.output(1, 'high')
    io.wiring.connect('5/1', resistor({ ohms: 100 }))
    expect(io.rails.current('5v0') - idle).toBeCloseTo((5.15 / (100 + 19 / 6)) * 1000 + 2, 6)
    expect(io.rails.current('12v')).toBe(0)
    io.mode(1, 'analog')
    expect(io.rails.current('5v0')).toBe(idle)
  })

  it('is the mean of a pwm, and only the loss of a low output', () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', resistor({ ohms: 100 }))
    io.pwm(1, 0, 12_000, 48_000)
    expect(io.rails.current('12v')).toBeCloseTo((12.05 / 103.1) * 1000 * 0.25 + 4, 6)
    io.mode(1, 'analog')
    io.output(2, 'low')
    expect(io.rails.current('12v')).toBe(2)
  })

  it('is 0 while the rail is off', () => {
    const io = powered(500, '12_volt')
    io.output(1, 'high')
    io.wiring.connect('5/1', resistor({ ohms: 100 }))
    io.rails.switchRail('12v', false)
    expect(io.milliampere(1)).toBe(2)
    expect(io.rails.current('12v')).toBe(0)
    io.rails.switchRail('12v', true)
    expect(io.rails.current('12v')).toBeCloseTo((12.05 / 103.1) * 1000 + 2, 6)
  })
})
