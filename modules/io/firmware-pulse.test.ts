import { button, source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule, powered } from './firmware.testkit.ts'

const SHORT_PULSES_US = [2, 50]
const READABLE_MS = 20

/** Ways to make one pulse of 5 V, some microseconds long, starting 100 ms from now. */
const ways: Record<string, (io: BareIoModule, us: number) => Promise<void>> = {
  'a wave with a short duty': async (io, us) => {
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1, lowVolts: 0, highVolts: 5, duty: us / 1e6, phaseDegrees: -36 }))
    await io.clock.advance(200)
  },
  'a source that is plugged in and out': async (io, us) => {
    await io.clock.advance(100)
    const connection = io.wiring.connect('5/1', source({ volts: 5 }))
    await io.clock.advance(us / 1000)
    connection.disconnect()
    await io.clock.advance(100)
  },
  'a button that is pressed for a moment': async (io, us) => {
    const pressed = io.wiring.connect('5/1', button({ volts: 5, bounces: 0 }))
    await io.clock.advance(100)
    pressed.set({ pressForMs: us / 1000 })
    await io.clock.advance(100)
  },
  'the pwm of another pin': async (io, us) => {
    io.wiring.wire('5/1', '5/2')
    io.power()
    await io.clock.advance(100)
    io.pwm(2, 47_999, 1, 1000)
    await io.clock.advance(us / 1000)
    io.output(2, 'low')
    await io.clock.advance(100)
  },
}

describe.each(SHORT_PULSES_US)('a pulse of %i µs', (us) => {
  describe.each(Object.keys(ways))('from %s', (way) => {
    const pulse = async (io: BareIoModule): Promise<void> => {
      await ways[way]?.(io, us)
    }

    it.each(['rising', 'falling', 'pulse'] as const)('raises an interrupt (%s) at its exact time', async (trigger) => {
      const io = new BareIoModule()
      io.mode(1, 'digital')
      io.interrupt(1, trigger)
      await pulse(io)
      const atMs = 100 + (trigger === 'rising' ? 0 : us / 1000)
      expect(io.alertTimes('customVoltageAlert', 1)).toEqual([expect.closeTo(atMs + READABLE_MS, 6)])
      expect(io.value(1)).toEqual(['digital_input', 0])
    })

    it('is counted once', async () => {
      const io = new BareIoModule()
      io.mode(1, 'digital')
      io.counter(1, 'enabled')
      await pulse(io)
      expect(io.value(1)).toEqual(['frequency_hertz', 1])
      expect(io.timersStarted).toBeLessThan(10)
    })

    it('raises a threshold event', async () => {
      const io = new BareIoModule()
      io.threshold(1, 4000, 'rising')
      await pulse(io)
      expect(io.alertTimes('customVoltageAlert', 1)).toEqual([expect.closeTo(100 + READABLE_MS, 6)])
      expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    })
  })

  it('raises a threshold event also when it goes down from 5 V', async () => {
    const io = new BareIoModule()
    const lows = { frequencyHz: 1, lowVolts: 0, highVolts: 5, duty: 1 - us / 1e6 }
    io.wiring.connect('5/1', squareWave({ ...lows, phaseDegrees: 360 * (0.9 - us / 1e6) }))
    io.mode(1, 'digital')
    io.interrupt(1, 'pulse')
    await io.clock.advance(500)
    expect(io.alertTimes('customVoltageAlert', 1)).toEqual([expect.closeTo(100 + us / 1000 + READABLE_MS, 6)])
  })

  it('is counted among 1000 in a second, with an event every 5 ms', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1000, lowVolts: 0, highVolts: 5, duty: us / 1000, phaseDegrees: -180 }))
    io.mode(1, 'digital')
    io.interrupt(1, 'rising')
    io.counter(1, 'enabled')
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['frequency_hertz', 1000])
    expect(io.alerts.length).toBeGreaterThan(150)
    expect(io.alerts.length).toBeLessThanOrEqual(200)
  })

  it('disables the pin if it has 30 V', async () => {
    const io = new BareIoModule()
    io.mode(1, 'digital')
    await io.clock.advance(100)
    const connection = io.wiring.connect('5/1', source({ volts: 30 }))
    await io.clock.advance(us / 1000)
    connection.disconnect()
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([expect.closeTo(100 + READABLE_MS, 6)])
    expect(io.value(1)[0]).toBe('voltage_millivolt')
  })

  it('does not count as an overload if it is a short circuit', async () => {
    const io = powered()
    io.output(1, 'high')
    await io.clock.advance(100)
    const connection = io.wiring.short('5/1')
    await io.clock.advance(us / 1000)
    connection.disconnect()
    await io.clock.advance(1000)
    expect(io.alerts).toEqual([])
  })
})
