import { source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'

function counting(of: { frequencyHz: number; duty?: number; lowVolts?: number; highVolts?: number }): BareIoModule {
  const io = new BareIoModule()
  io.wiring.connect('5/1', squareWave({ lowVolts: 0, highVolts: 5, ...of }))
  io.mode(1, 'digital')
  io.counter(1, 'enabled')
  return io
}

describe('the counter', () => {
  it.each([1, 7, 100, 12_345, 1_000_000])('shows %i Hz after a second, and an hour later', async (frequencyHz) => {
    const io = counting({ frequencyHz })
    await io.clock.advance(1000)
    expect(Math.abs(io.value(1)[1] - frequencyHz)).toBeLessThanOrEqual(frequencyHz > 10_000 ? 1 : 0)
    await io.clock.advance(3_600_000)
    expect(Math.abs(io.value(1)[1] - frequencyHz)).toBeLessThanOrEqual(frequencyHz > 10_000 ? 1 : 0)
    expect(io.value(1)[0]).toBe('frequency_hertz')
  })

  it('shows 0 at first, and the edges so far within the first second', async () => {
    const io = counting({ frequencyHz: 100 })
    expect(io.value(1)).toEqual(['frequency_hertz', 0])
    await io.clock.advance(500)
    expect(io.value(1)).toEqual(['frequency_hertz', 50])
  })

  it('shows 0 for a signal between 1.5 and 2.5 V', async () => {
    const io = counting({ frequencyHz: 100, lowVolts: 1.5, highVolts: 2.5 })
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['frequency_hertz', 0])
  })

  it('counts the pwm of a wired pin, at any frequency, without a timer per edge', async () => {
    const io = new BareIoModule()
    io.wiring.wire('5/1', '5/2')
    io.power()
    io.mode(2, 'digital')
    io.counter(2, 'enabled')
    io.pwm(1, 0, 24, 49)
    await io.clock.advance(10_000)
    expect(Math.abs(io.value(2)[1] - 48_000_000 / 49)).toBeLessThanOrEqual(1)
    expect(io.timersStarted).toBe(0)
    io.pwm(1, 47_999, 5, 10)
    await io.clock.advance(1000)
    expect(io.value(2)).toEqual(['frequency_hertz', 100])
  })

  it('counts edges from changed wiring for a second', async () => {
    const io = new BareIoModule()
    io.mode(1, 'digital')
    io.counter(1, 'enabled')
    for (let times = 0; times < 4; times++) {
      const connection = io.wiring.connect('5/1', source({ volts: 5 }))
      await io.clock.advance(100)
      connection.disconnect()
      await io.clock.advance(100)
    }
    expect(io.value(1)).toEqual(['frequency_hertz', 4])
    await io.clock.advance(399)
    expect(io.value(1)).toEqual(['frequency_hertz', 3])
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['frequency_hertz', 0])
  })

  it('adds up the parts of a signal that changes its frequency', async () => {
    const io = new BareIoModule()
    io.mode(1, 'digital')
    io.counter(1, 'enabled')
    const first = io.wiring.connect('5/1', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, phaseDegrees: -180 }))
    await io.clock.advance(500)
    first.disconnect()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 10, lowVolts: 0, highVolts: 5, phaseDegrees: -180 }))
    await io.clock.advance(500)
    expect(io.value(1)).toEqual(['frequency_hertz', 55])
  })

  it('continues when it is enabled again, and restarts after it was off', async () => {
    const io = counting({ frequencyHz: 100 })
    await io.clock.advance(500)
    io.counter(1, 'enabled')
    expect(io.value(1)).toEqual(['frequency_hertz', 50])
    io.counter(1, 'disabled')
    io.counter(1, 'enabled')
    expect(io.value(1)).toEqual(['frequency_hertz', 0])
  })
})
