import { noise, resistor, sineWave, source, squareWave, triangleWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule, powered } from './firmware.testkit.ts'

/** A module with elements on pin 1. */
function bench(...elements: readonly Parameters<BareIoModule['wiring']['connect']>[1][]): BareIoModule {
  const io = new BareIoModule()
  for (const element of elements) io.wiring.connect('5/1', element)
  return io
}

function expectTimes(found: readonly number[], expected: readonly number[], digits: number): void {
  expect(found).toHaveLength(expected.length)
  for (const [index, atMs] of expected.entries()) expect(found[index]).toBeCloseTo(atMs, digits)
}

/** 5 V ± 5 V with a period of 360 ms: a degree is a millisecond. */
const slowSine = sineWave({ frequencyHz: 1000 / 360, lowVolts: 0, highVolts: 10 })

describe('a threshold on a waveform', () => {
  it('fires when a sine crosses it, 30° after its middle for half of its amplitude, in every period', async () => {
    const io = bench(slowSine)
    io.threshold(1, 7500, 'rising')
    await io.clock.advance(1000)
    expectTimes(
      io.alertTimes(),
      [30, 390, 750].map((atMs) => atMs + 20),
      4,
    )
  })

  it('fires when a triangle falls through it', async () => {
    const io = bench(triangleWave({ frequencyHz: 10, lowVolts: 0, highVolts: 5 }))
    io.threshold(1, 1000, 'falling')
    // Down from 5 V at 50 ms with 0.1 V per ms: 1 V at 90 ms. It began below, so the first fall counts.
    await io.clock.advance(250)
    expectTimes(io.alertTimes(), [110, 210], 4)
  })

  it('does not fire again within its 20 mV of hysteresis', async () => {
    // 10 mV of ripple on a saw of 20 V per second: the threshold is crossed many times, and fires once.
    const io = bench(
      triangleWave({ frequencyHz: 1, lowVolts: 0, highVolts: 20, duty: 1, ohms: 1 }),
      sineWave({ frequencyHz: 1000, amplitudeVolts: 0.018, offsetVolts: 20, ohms: 1 }),
    )
    io.threshold(1, 15_000, 'rising')
    await io.clock.advance(999)
    expect(io.alertTimes()).toHaveLength(1)
    const more = bench(
      triangleWave({ frequencyHz: 1, lowVolts: 0, highVolts: 20, duty: 1, ohms: 1 }),
      sineWave({ frequencyHz: 1000, amplitudeVolts: 0.1, offsetVolts: 20, ohms: 1 }),
    )
    more.threshold(1, 15_000, 'rising')
    await more.clock.advance(999)
    expect(more.alertTimes().length).toBeGreaterThan(1)
  })

  it('detects a peak of 50 µs between two samples', async () => {
    // A triangle of 1 s is above 9.9995 V for 50 µs, around 500 ms.
    const io = bench(triangleWave({ frequencyHz: 1, lowVolts: 0, highVolts: 10 }))
    io.threshold(1, 9999, 'rising')
    await io.clock.advance(600)
    expect(io.alertTimes()).toEqual([expect.closeTo(499.95 + 20, 3)])
  })

  it('fires when the sum of several waveforms crosses it', async () => {
    const io = bench(
      sineWave({ frequencyHz: 50, amplitudeVolts: 4, offsetVolts: 4, ohms: 1000 }),
      squareWave({ frequencyHz: 1, lowVolts: 0, highVolts: 4, ohms: 1000, phaseDegrees: -180 }),
    )
    // Half of both: 4 V at most alone, 6 V at the top of the sine while the square wave is high, from 500 ms on.
    io.threshold(1, 5900, 'rising')
    await io.clock.advance(560)
    // (4 + 4 sin + 4) V / 1 kΩ over 2/1 kΩ + 1/1 MΩ is 5.9 V: sin = 0.951475 at 72.0775°, 4.0043 ms after each middle.
    expectTimes(io.alertTimes(), [524.0043, 544.0043], 3)
  })

  it('fires on noise at the same times as a check every microsecond', async () => {
    const io = bench(noise({ frequencyHz: 50, lowVolts: 0, highVolts: 5, seed: 4 }))
    const { node } = io.wiring.terminal('5/1')
    const rises: number[] = []
    let isHigh = node.voltsAt(0) > 3
    for (let us = 1; us <= 500_000; us += 10) {
      const volts = node.voltsAt(us / 1000)
      if (volts > 3 && !isHigh) rises.push(us / 1000)
      isHigh = volts > 3 || (isHigh && volts >= 2.98)
    }
    io.threshold(1, 3000, 'rising')
    await io.clock.advance(530)
    expect(rises.length).toBeGreaterThan(3)
    expect(io.alertTimes()).toHaveLength(rises.length)
    for (const [index, atMs] of io.alertTimes().entries()) expect(Math.abs(atMs - 20 - (rises[index] ?? 0))).toBeLessThan(0.011)
  })
})

describe('a digital interrupt on a waveform', () => {
  it('reports rises of a sine at 2.5 V and falls at 1.5 V', async () => {
    // 5 V ± 5 V: 2.5 V at 330°, 1.5 V at 180° + 44.427°.
    for (const [trigger, expected] of [
      ['rising', [350, 710]],
      ['falling', [244.427, 604.427]],
    ] as const) {
      const io = bench(slowSine)
      io.mode(1, 'digital')
      io.interrupt(1, trigger)
      await io.clock.advance(720)
      expectTimes(io.alertTimes(), expected, 3)
    }
  })

  it('reports a pulse when it is complete', async () => {
    // Low below 1.5 V at first: back at 180° + 44.427° of the period that begins 90° earlier.
    const io = bench(sineWave({ frequencyHz: 1000 / 360, lowVolts: 0, highVolts: 10, phaseDegrees: -90 }))
    io.mode(1, 'digital')
    io.interrupt(1, 'pulse')
    await io.clock.advance(360)
    expect(io.alertTimes()).toEqual([expect.closeTo(90 + 180 + 44.427 + 20, 3)])
  })
})

describe('the counter on a waveform', () => {
  it.each([
    ['sine', sineWave, 7],
    ['sine', sineWave, 12_345],
    ['sine', sineWave, 1_000_000],
    ['triangle', triangleWave, 7],
    ['triangle', triangleWave, 12_345],
    ['triangle', triangleWave, 1_000_000],
  ] as const)('shows the frequency of a %s without a timer', async (_, kind, frequencyHz) => {
    const io = bench(kind({ frequencyHz, lowVolts: 0, highVolts: 5 }))
    io.mode(1, 'digital')
    io.counter(1, 'enabled')
    await io.clock.advance(1000)
    expect(Math.abs(io.value(1)[1] - frequencyHz)).toBeLessThanOrEqual(1)
    await io.clock.advance(3_600_000)
    expect(Math.abs(io.value(1)[1] - frequencyHz)).toBeLessThanOrEqual(1)
    expect(io.timersStarted).toBe(0)
  })

  it('counts each rise of a sine with hum once', async () => {
    const io = bench(
      sineWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, ohms: 10 }),
      sineWave({ frequencyHz: 5000, amplitudeVolts: 0.4, offsetVolts: 2, ohms: 10 }),
    )
    io.mode(1, 'digital')
    io.counter(1, 'enabled')
    await io.clock.advance(1000)
    expect(io.value(1)).toEqual(['frequency_hertz', 100])
  })
})

it('readings of a waveform show its level at the moment of sampling', async () => {
  const io = bench(slowSine)
  const read: number[] = []
  for (const ms of [30, 60, 120, 60]) {
    await io.clock.advance(ms)
    read.push(io.value(1)[1])
  }
  // sin 30°, 90°, 210°, 270°.
  expect(read).toEqual([7500, 10_000, 2500, 0])
})

describe('alerts on a waveform', () => {
  function driven(milliampere = 300): BareIoModule {
    const io = powered(milliampere)
    io.output(1, 'high')
    return io
  }

  it('raise high_current 2 ms after a slow sine has drawn more than the limit from the pin', async () => {
    const io = driven(200)
    // 5.15 V behind 19/6 Ω against a sine of 5.15 V ± 2 V behind 1 Ω, which first falls: I = 2 V × sin / (19/6 + 1) Ω.
    io.wiring.connect('5/1', sineWave({ frequencyHz: 10, amplitudeVolts: 2, offsetVolts: 5.15, ohms: 1, phaseDegrees: 180 }))
    await io.clock.advance(100)
    const crossingMs = (Math.asin((0.2 * (19 / 6 + 1)) / 2) / (2 * Math.PI)) * 100
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([expect.closeTo(crossingMs + 2 + 20, 3)])
    expect(io.value(1)[0]).toBe('voltage_millivolt')
    expect(io.milliampere(1)).toBe(0)
  })

  it('do not raise high_current for peaks that are over within 2 ms', async () => {
    const io = driven(100)
    // Above the limit for 1.9 of the 100 ms: from 90° − 3.42° to 90° + 3.42°, and half a period later in the other direction.
    const amplitudeVolts = (0.1 * (19 / 6 + 1)) / Math.cos((3.42 / 180) * Math.PI)
    io.wiring.connect('5/1', sineWave({ frequencyHz: 10, amplitudeVolts, offsetVolts: 5.15, ohms: 1, phaseDegrees: 180 }))
    await io.clock.advance(60_000)
    expect(io.alerts).toEqual([])
    // Checked over two periods, then never again.
    expect(io.timersStarted).toBeLessThan(5)
  })

  it('raise high_current for a fast sine by the mean of its amount: 2/π of its peak', async () => {
    const load = (peakAmps: number) =>
      sineWave({ frequencyHz: 1000, amplitudeVolts: peakAmps * (19 / 6 + 1), offsetVolts: 5.15, ohms: 1 })
    // 89.1 mA and 92.3 mA.
    const spared = driven(90)
    spared.wiring.connect('5/1', load(0.14))
    await spared.clock.advance(1000)
    expect(spared.alerts).toEqual([])
    const io = driven(90)
    io.wiring.connect('5/1', load(0.145))
    await io.clock.advance(1000)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([22])
  })

  it('raise under_voltage 2 ms after a slow triangle has pulled the pin below 4.2 V', async () => {
    const io = driven()
    // A triangle behind the same 19/6 Ω: the pin is in the middle, below 4.2 V while the triangle is below 3.25 V.
    io.wiring.connect('5/1', triangleWave({ frequencyHz: 1, lowVolts: 3, highVolts: 5.15, ohms: 19 / 6, phaseDegrees: 180 }))
    await io.clock.advance(1000)
    const crossingMs = ((5.15 - 3.25) / (5.15 - 3)) * 500
    expect(io.alertTimes('underVoltageAlert', 1)).toEqual([expect.closeTo(crossingMs + 22, 3)])
  })

  it('raise high_voltage when a sine crosses 25 V, once a second', async () => {
    const io = bench(sineWave({ frequencyHz: 2.5, amplitudeVolts: 20, offsetVolts: 15, ohms: 10 }))
    await io.clock.advance(1500)
    // 15 + 20 sin = 25: 30°, 33.33 ms of 400 ms; the input of 1 MΩ takes 0.25 mV of it. The next, after more than a second, is the fourth.
    const first = 33.333
    expectTimes(io.alertTimes('highVoltageAlert', 1), [first + 20, first + 1220], 1)
  })

  it('raise high_voltage for a peak of two sines that only together cross 25 V', async () => {
    const io = bench(
      sineWave({ frequencyHz: 50, amplitudeVolts: 20, ohms: 100 }),
      sineWave({ frequencyHz: 49, amplitudeVolts: 33, ohms: 100, phaseDegrees: 180 }),
    )
    // Half of 53 V when they meet, after half a second; half of 20 V against 33 V before.
    await io.clock.advance(300)
    expect(io.alerts).toEqual([])
    await io.clock.advance(250)
    expect(io.alertTimes('highVoltageAlert', 1)).toHaveLength(1)
  })

  it('refuse to drive against a sine as external voltage, in any phase', () => {
    const io = powered()
    io.wiring.connect('5/1', sineWave({ frequencyHz: 0.001, amplitudeVolts: 2, phaseDegrees: 180 }))
    expect(io.value(1)[1]).toBe(0)
    expect(() => io.output(1, 'high')).toThrow()
    expect(() => io.pwm(1, 0, 10, 100)).toThrow()
  })

  it('are not raised while a waveform is within the limits, without timers', async () => {
    const io = driven()
    io.wiring.connect('5/1', sineWave({ frequencyHz: 10, amplitudeVolts: 0.4, offsetVolts: 5, ohms: 10 }))
    io.wiring.connect('5/1', noise({ frequencyHz: 100, lowVolts: 4.5, highVolts: 5.5, ohms: 10 }))
    io.wiring.connect('5/1', resistor({ ohms: 100 }))
    await io.clock.advance(3_600_000)
    expect(io.alerts).toEqual([])
    expect(io.timersStarted).toBe(0)
  })
})

it('the draw of a pin on a waveform is the mean of what it delivers', () => {
  const io = powered()
  io.output(1, 'high')
  io.wiring.connect('5/1', triangleWave({ frequencyHz: 10, lowVolts: 4.15, highVolts: 5.15, ohms: 97 - 1 / 6 }))
  // 100 Ω in all, half a volt in the mean: 5 mA and 2 mA of loss.
  expect(io.rails.current('5v0')).toBeCloseTo(7, 6)
  io.wiring.connect('5/1', source({ volts: 5.15, ohms: 1000 }))
  expect(io.rails.current('5v0')).toBeLessThan(7)
})
