import { noise, sineWave, squareWave, triangleWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'

const HOUR_MS = 3_600_000

describe('the timers of a pin', () => {
  it('do not run during an hour of a square wave without triggers, in any mode', async () => {
    const io = new BareIoModule()
    for (const pin of [1, 2, 3]) io.wiring.connect(`5/${pin}`, squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    io.mode(2, 'digital')
    io.mode(3, 'digital')
    io.counter(3, 'enabled')
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
    expect(io.value(3)).toEqual(['frequencyHertz', 100])
  })

  it('do not run during an hour of sines, triangles and noise without triggers, on every pin, in any mode', async () => {
    const io = new BareIoModule()
    for (const pin of [1, 2, 3, 4, 5, 6]) {
      io.wiring.connect(`5/${pin}`, sineWave({ frequencyHz: 50, lowVolts: 0, highVolts: 5, ohms: 10 }))
      io.wiring.connect(`5/${pin}`, triangleWave({ frequencyHz: 70, lowVolts: 0, highVolts: 5, ohms: 10 }))
      io.wiring.connect(`5/${pin}`, noise({ frequencyHz: 1000, lowVolts: 0, highVolts: 5, ohms: 10 }))
    }
    for (const pin of [3, 4, 5, 6]) io.mode(pin, 'digital')
    for (const pin of [5, 6]) io.counter(pin, 'enabled')
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
  })

  it('are two for each report of a slow sine', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', sineWave({ frequencyHz: 1, lowVolts: 0, highVolts: 5 }))
    io.threshold(1, 4000, 'rising')
    await io.clock.advance(60_000)
    expect(io.alerts).toHaveLength(60)
    expect(io.timersStarted).toBeLessThanOrEqual(2 * 60 + 1)
  })

  it('are bounded for fast noise under a trigger that it rarely reaches', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', noise({ frequencyHz: 100_000, lowVolts: 0, highVolts: 5, seed: 2 }))
    io.threshold(1, 4999, 'rising')
    await io.clock.advance(2000)
    // A check every 5 ms, and two timers for each report.
    expect(io.timersStarted).toBeLessThan(401 + 2 * io.alerts.length + io.alerts.length)
  })

  it('do not run for a normal pwm and output, with a square wave on the output', async () => {
    const io = new BareIoModule()
    io.power()
    io.pwm(1, 0, 1, 49)
    io.pwm(2, 47_999, 10, 20)
    io.output(3, 'high')
    io.wiring.connect('5/3', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 1000 }))
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
    expect(io.alerts).toEqual([])
  })

  it('do not run for triggers that cannot fire', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 70, lowVolts: 0, highVolts: 5, ohms: 100 }))
    io.threshold(1, 6000, 'rising')
    io.mode(2, 'digital')
    io.interrupt(2, 'pulse')
    await io.clock.advance(HOUR_MS)
    expect(io.timersStarted).toBe(0)
  })

  it.each([squareWave, sineWave, triangleWave])(
    'are bounded by the report interval for a signal of 1 MHz: $kind',
    async (kind) => {
      const io = new BareIoModule()
      io.wiring.connect('5/1', kind({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5 }))
      io.mode(1, 'digital')
      io.interrupt(1, 'rising')
      await io.clock.advance(1000)
      expect(io.alerts.length).toBeGreaterThan(190)
      expect(io.alerts.length).toBeLessThanOrEqual(200)
      expect(io.timersStarted).toBeLessThan(500)
    },
  )

  it('are one per debounce time for a debounced signal', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5 }))
    io.mode(1, 'digital')
    io.interrupt(1, 'rising', 1000)
    await io.clock.advance(60_000)
    expect(io.alerts).toHaveLength(60)
    expect(io.timersStarted).toBeLessThan(130)
  })

  it('stay bounded with two fast sources on a driven pin', async () => {
    const io = new BareIoModule()
    io.power()
    io.output(1, 'high')
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5, ohms: 1000 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 770_000, lowVolts: 0, highVolts: 5, ohms: 1000 }))
    await io.clock.advance(60_000)
    expect(io.timersStarted).toBeLessThan(10)
    expect(io.alerts).toEqual([])
  })

  it('stay bounded with two fast sources under a trigger that may fire', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 4, ohms: 1000, duty: 0.01 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 999_000, lowVolts: 0, highVolts: 4, ohms: 1000, duty: 0.01 }))
    io.threshold(1, 3000, 'rising')
    await io.clock.advance(1000)
    expect(io.timersStarted).toBeLessThan(500)
    expect(io.alerts.length).toBeGreaterThan(0)
  })
})
