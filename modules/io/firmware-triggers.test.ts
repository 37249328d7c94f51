import { resistor, source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'
import { NOTIFICATION_DELAY_MS } from './firmware-announcer.ts'
import { REPORT_SPACING_MS } from './firmware-trigger.ts'

/** A module with a settable source on pin 1. */
function withSource(): { io: BareIoModule; set: (volts: number) => void } {
  const io = new BareIoModule()
  let connection = io.wiring.connect('5/1', source({ volts: 0 }))
  return {
    io,
    set: (volts) => {
      const before = connection
      connection = io.wiring.connect('5/1', source({ volts, ohms: 1e-6 }))
      before.disconnect()
    },
  }
}

describe('an analog threshold', () => {
  it('reports a rise exactly 20 ms later', async () => {
    const { io, set } = withSource()
    io.threshold(1, 2000, 'rising')
    await io.clock.advance(7)
    set(2.1)
    await io.clock.advance(NOTIFICATION_DELAY_MS - 0.001)
    expect(io.alertTimes()).toEqual([])
    await io.clock.advance(0.001)
    expect(io.alertTimes()).toEqual([27])
    expect(io.alerts).toEqual([
      { atMs: 27, customVoltageAlert: 1, highCurrentAlert: 0, underVoltageAlert: 0, highVoltageAlert: 0 },
    ])
  })

  it('set to falling reports a fall but not a rise', async () => {
    const { io, set } = withSource()
    io.threshold(1, 2000, 'falling')
    set(5)
    await io.clock.advance(50)
    expect(io.alertTimes()).toEqual([])
    set(1)
    await io.clock.advance(50)
    expect(io.alertTimes()).toEqual([70])
  })

  it.each(['rising', 'falling'] as const)('does not report a voltage beyond it at the start (%s)', async (trigger) => {
    const { io, set } = withSource()
    set(trigger === 'rising' ? 5 : 0)
    io.threshold(1, 2000, trigger)
    await io.clock.advance(1000)
    expect(io.alertTimes()).toEqual([])
  })

  it('fires again only after the voltage went back by 20 mV', async () => {
    const { io, set } = withSource()
    io.threshold(1, 2000, 'rising')
    for (const volts of [2.01, 1.985, 2.01, 1.975, 2.01]) {
      set(volts)
      await io.clock.advance(100)
    }
    expect(io.alertTimes()).toEqual([20, 420])
  })

  it('is replaced by a new one, and ends with the mode', async () => {
    const { io, set } = withSource()
    io.threshold(1, 2000, 'rising')
    io.threshold(1, 4000, 'rising')
    set(3)
    await io.clock.advance(100)
    expect(io.alertTimes()).toEqual([])
    set(5)
    await io.clock.advance(100)
    expect(io.alertTimes()).toEqual([120])
    io.mode(1, 'analog')
    set(0)
    set(5)
    await io.clock.advance(100)
    expect(io.alertTimes()).toEqual([120])
  })

  it('watches the wire between two pins: a high output raises an event at the other pin', async () => {
    const io = new BareIoModule()
    io.wiring.wire('5/1', '5/2')
    io.power()
    io.threshold(1, 3000, 'rising')
    io.output(2, 'high')
    await io.clock.advance(100)
    expect(io.alerts).toHaveLength(1)
    expect(io.alertTimes()).toEqual([20])
  })
})

describe('a digital interrupt', () => {
  function square(of: {
    frequencyHz: number
    duty?: number
    trigger: 'rising' | 'falling' | 'pulse'
    debounceMs?: number
  }): BareIoModule {
    const io = new BareIoModule()
    const { trigger, debounceMs, ...wave } = of
    io.wiring.connect('5/1', squareWave({ lowVolts: 0, highVolts: 5, phaseDegrees: -180, ...wave }))
    io.mode(1, 'digital')
    io.interrupt(1, trigger, debounceMs)
    return io
  }

  it.each([
    ['rising', 'at the rising edge', [70, 170, 270]],
    ['falling', 'at the falling edge', [90, 190, 290]],
    ['pulse', 'when the level is back', [90, 190, 290]],
  ] as const)('reports every period of 10 Hz with trigger %s %s', async (trigger, _, times) => {
    const io = square({ frequencyHz: 10, trigger, duty: 0.2 })
    await io.clock.advance(300)
    expect(io.alertTimes()).toEqual(times)
  })

  it('reports pulses of either polarity: the level at the start is the idle one', async () => {
    const { io, set } = withSource()
    set(5)
    io.mode(1, 'digital')
    io.interrupt(1, 'pulse')
    set(0)
    await io.clock.advance(100)
    expect(io.alertTimes()).toEqual([])
    set(5)
    await io.clock.advance(100)
    expect(io.alertTimes()).toEqual([120])
  })

  it('does not report the level at the start', async () => {
    const { io, set } = withSource()
    set(5)
    io.mode(1, 'digital')
    io.interrupt(1, 'rising')
    await io.clock.advance(1000)
    expect(io.alertTimes()).toEqual([])
  })

  it('keeps the last level between 1.5 and 2.5 V', () => {
    const { io, set } = withSource()
    io.mode(1, 'digital')
    const levels = [2, 2.6, 2, 1.51, 1.4, 2].map((volts) => {
      set(volts)
      return io.value(1)[1]
    })
    expect(levels).toEqual([0, 1, 1, 1, 0, 0])
  })

  it('ignores all events for the debounce time after the first', async () => {
    const io = square({ frequencyHz: 100, trigger: 'rising', debounceMs: 245 })
    await io.clock.advance(1000)
    // Edges at 5, 15, 25 … ms: 5, then the first after 250, then the first after 500.
    expect(io.alertTimes()).toEqual([25, 275, 525, 775])
  })

  it('reports a fast signal at most every 5 ms, including its last edge', async () => {
    const io = new BareIoModule()
    const wave = io.wiring.connect('5/1', squareWave({ frequencyHz: 1_000_000, lowVolts: 0, highVolts: 5, phaseDegrees: -180 }))
    io.mode(1, 'digital')
    io.interrupt(1, 'rising')
    await io.clock.advance(22.5)
    wave.disconnect()
    await io.clock.advance(100)
    const times = io.alertTimes()
    expect(times[0]).toBeCloseTo(20.0005, 6)
    for (let index = 1; index < times.length; index++) {
      expect((times[index] as number) - (times[index - 1] as number)).toBeGreaterThanOrEqual(REPORT_SPACING_MS - 1e-6)
    }
    expect(times.at(-1)).toBeGreaterThanOrEqual(22.499 + NOTIFICATION_DELAY_MS)
    expect(times.at(-1)).toBeLessThanOrEqual(22.5 + NOTIFICATION_DELAY_MS + REPORT_SPACING_MS)
  })

  it('still reports events from before the mode was changed', async () => {
    const { io, set } = withSource()
    io.mode(1, 'digital')
    io.interrupt(1, 'rising')
    set(5)
    await io.clock.advance(1)
    set(0)
    set(5)
    io.mode(1, 'analog')
    await io.clock.advance(100)
    expect(io.alertTimes()).toEqual([20, 25])
  })

  it('loses unreported events when the module is reset', async () => {
    const { io, set } = withSource()
    io.mode(1, 'digital')
    io.interrupt(1, 'rising')
    set(5)
    await io.clock.advance(10)
    io.firmware.reset()
    expect(io.clock.pending).toBe(0)
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
  })
})

describe('a voltage divider of several sources', () => {
  it('fires when two square waves add up', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', squareWave({ frequencyHz: 50, lowVolts: 0, highVolts: 6, ohms: 1000, duty: 0.1 }))
    io.wiring.connect('5/1', squareWave({ frequencyHz: 7, lowVolts: 0, highVolts: 6, ohms: 1000, phaseDegrees: -90 }))
    io.wiring.connect('5/1', resistor({ ohms: 1000 }))
    io.threshold(1, 3000, 'rising')
    await io.clock.advance(300)
    // The slow one is high in 35.71…107.14 ms and again from 178.57 ms on, the fast one for 2 ms every 20 ms.
    expect(io.alertTimes()).toEqual([60, 80, 100, 120, 200, 220, 240, 260])
  })
})
