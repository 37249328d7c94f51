import { CLAMP_VOLTS, coil, motor, sineWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule, powered } from './firmware.testkit.ts'
import * as wire from './wire.ts'

/** The current from 12.05 V through the driver's 3.1 Ω and a load. */
const amps12 = (ohms: number): number => 12.05 / (3.1 + ohms)

describe('a relay coil on an output', () => {
  const relay = coil({ ohms: 300, henry: 0.6 })

  it('draws a rising current up to 12.05 V / 303.1 Ω = 40 mA, with 0.6 H / 303.1 Ω', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', relay)
    io.output(1, 'high')
    expect(io.milliampere(1)).toBe(2)
    const timeConstantMs = (0.6 / 303.1) * 1000
    await io.clock.advance(timeConstantMs)
    expect(io.milliampere(1)).toBe(Math.round(40 * (1 - Math.exp(-1))) + 2)
    await io.clock.advance(100)
    expect(io.milliampere(1)).toBe(42)
    expect(io.value(1)).toEqual(['voltage_millivolt', Math.round((amps12(300) * 300 * 1000) / 10) * 10])
    expect(io.alerts).toEqual([])
  })

  it('keeps its current through a low output while it decays', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', relay)
    io.output(1, 'high')
    await io.clock.advance(100)
    io.output(1, 'low')
    // The current comes from ground through the 1 Ω of the low output.
    expect(io.milliampere(1)).toBe(42)
    await io.clock.advance((0.6 / 301) * 1000)
    expect(io.milliampere(1)).toBe(Math.round((amps12(300) / Math.E) * 1000) + 2)
    await io.clock.advance(100)
    expect(io.milliampere(1)).toBe(2)
  })

  it('pulls the pin below ground when released: no alert, no external voltage', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', relay)
    io.output(1, 'high')
    await io.clock.advance(100)
    io.mode(1, 'analog')
    expect(io.wiring.terminal('5/1').voltsAt(io.clock.now())).toBe(-CLAMP_VOLTS)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    io.output(1, 'high')
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    expect(io.milliampere(1)).toBe(42)
  })

  it('pushes the pin above 24 V when released, if connected to that: high_voltage_alert', async () => {
    const io = powered(300, '5_volt')
    io.output(1, 'low')
    io.wiring.connect('5/1', coil({ ohms: 300, henry: 0.6, volts: 24, suppression: 10 }))
    await io.clock.advance(1)
    io.mode(1, 'analog')
    await io.clock.advance(100)
    expect(io.alertTimes('highVoltageAlert', 1)).toEqual([21])
  })

  it('counts by its current: high_current 2 ms after that exceeds the limit', async () => {
    const io = powered(30, '12_volt')
    io.wiring.connect('5/1', relay)
    io.output(1, 'high')
    await io.clock.advance(100)
    // 30 mA of 39.756 mA are there after 1.98 ms × ln(1 / (1 − 0.75461)).
    const grownMs = (0.6 / 303.1) * 1000 * -Math.log(1 - 0.03 / amps12(300))
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([expect.closeTo(grownMs + 2 + 20, 1)])
  })

  it('counts by its rising mean on a fast pwm: high_current 2 ms after that exceeds the limit', async () => {
    const io = powered(15, '12_volt')
    io.wiring.connect('5/1', relay)
    io.pwm(1, 0, 500, 1000)
    await io.clock.advance(100)
    // 15 mA of half of 12.05 V over 300 Ω and the mean of 3.1 Ω and 1 Ω.
    const grownMs = (0.6 / 302.05) * 1000 * -Math.log(1 - (0.015 * 302.05) / 6.025)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([expect.closeTo(grownMs + 2 + 20, 1)])
  })

  it('draws its mean current on a pwm, which the rail delivers', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', relay)
    // 48 kHz, half of the time.
    io.pwm(1, 0, 500, 1000)
    await io.clock.advance(200)
    // Half of the voltage through 300 Ω and the mean of 3.1 Ω and 1 Ω; the rail delivers it half of the time.
    const amps = 6.025 / 302.05
    expect(io.milliampere(1)).toBe(Math.round(amps * 1000) + 4)
    io.wiring.connect('5/2', coil({ ohms: 300, henry: 0.6 }))
    expect(io.rails.current('12v')).toBeCloseTo((amps * 1000) / 2 + 4, 1)
    expect(io.alerts).toEqual([])
  })
})

describe('a motor on an output', () => {
  // 12.05 V through 3.1 Ω: 100 Ω running, 20 Ω at start.
  const fan = motor({ ohms: 100, startUpMultiple: 5, startUpMs: 100, henry: 0 })

  it('draws a multiple of its current at first, and less as it turns', async () => {
    const io = powered(500, '12_volt')
    // The pin may give 500 mA; 12.05 V / 23.1 Ω are 522 mA at first.
    io.wiring.connect('5/1', motor({ ohms: 110, startUpMultiple: 5, startUpMs: 100, henry: 0 }))
    io.output(1, 'high')
    expect(io.milliampere(1)).toBe(Math.round(amps12(22) * 1000) + 2)
    await io.clock.advance(2000)
    expect(io.milliampere(1)).toBe(Math.round(amps12(110) * 1000) + 2)
    expect(io.alerts).toEqual([])
  })

  it('exceeds a limit that its start-up current exceeds for 2 ms: high_current, and the motor stops', async () => {
    const io = powered(200, '12_volt')
    io.wiring.connect('5/1', fan)
    io.output(1, 'high')
    await io.clock.advance(100)
    expect(io.alertTimes('highCurrentAlert', 1)).toEqual([22])
    await io.clock.advance(10_000)
    expect(io.wiring.terminal('5/1').voltsAt(io.clock.now())).toBeLessThan(0.001)
  })

  it('is allowed if the start-up current is below the limit within 2 ms', async () => {
    // 522 mA at first, 117 mA at the end; the difference falls with about 2 ms: below 400 mA well within 2 ms.
    const io = powered(400, '12_volt')
    io.wiring.connect('5/1', motor({ ohms: 100, startUpMultiple: 5, startUpMs: 2, henry: 0 }))
    io.output(1, 'high')
    expect(io.milliampere(1)).toBe(Math.round(amps12(20) * 1000) + 2)
    await io.clock.advance(1000)
    expect(io.alerts).toEqual([])
    expect(io.milliampere(1)).toBe(Math.round(amps12(100) * 1000) + 2)
  })

  it('is a source while it turns: the pin reads its voltage and refuses to drive until it has stopped', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', motor({ ohms: 200, startUpMultiple: 5, startUpMs: 100, henry: 0 }))
    io.output(1, 'high')
    await io.clock.advance(3000)
    io.mode(1, 'analog')
    const volts = amps12(200) * 200 * 0.8
    expect(io.value(1)[1] / 1000).toBeCloseTo(volts, 1)
    expect(io.statusOf(wire.setOutputState, { pin: 1, state: 'high' })).toBe(wire.OutputStatus.externalVoltage)
    // Its friction alone takes 500 ms to slow it to 1/e.
    await io.clock.advance(500 * Math.log(volts / 0.49))
    expect(io.statusOf(wire.setOutputState, { pin: 1, state: 'high' })).toBe(0)
  })

  it('raises a threshold event when it slows down past it', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', motor({ ohms: 200, startUpMultiple: 5, startUpMs: 100, henry: 0 }))
    io.output(1, 'high')
    await io.clock.advance(3000)
    io.mode(1, 'analog')
    const volts = io.wiring.terminal('5/1').voltsAt(io.clock.now())
    io.threshold(1, 1000, 'falling')
    await io.clock.advance(5000)
    // The input of 1 MΩ adds next to nothing to its friction of 160 Ω.
    expect(io.alertTimes('customVoltageAlert', 1)).toEqual([expect.closeTo(3020 + 500 * Math.log(volts), 0)])
  })

  it('updates the draw of its rail a few times while its current falls', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', motor({ ohms: 200, startUpMultiple: 5, startUpMs: 100, henry: 0 }))
    const drawn: number[] = []
    io.rails.onChange(() => drawn.push(io.rails.current('12v')))
    io.output(1, 'high')
    await io.clock.advance(60_000)
    expect(drawn[0]).toBeCloseTo(amps12(40) * 1000 + 2, 0)
    expect(drawn.at(-1)).toBeCloseTo(amps12(200) * 1000 + 2, 0)
    expect(drawn.length).toBeGreaterThan(5)
    expect(drawn.length).toBeLessThan(15)
    for (const [index, milliampere] of drawn.slice(1).entries()) expect(milliampere).toBeLessThanOrEqual(drawn[index] ?? 0)
    expect(io.clock.pending).toBe(0)
  })
})

describe('the timers of coils and motors', () => {
  it('are a few for each change of the pin, and none in between', async () => {
    const io = powered(500, '12_volt')
    io.wiring.connect('5/1', coil({ ohms: 300, henry: 0.6 }))
    io.wiring.connect('5/2', motor({ ohms: 400 }))
    for (let times = 0; times < 60; times++) {
      io.output(1, times % 2 === 0 ? 'high' : 'low')
      io.output(2, times % 2 === 0 ? 'high' : 'low')
      await io.clock.advance(60_000)
    }
    expect(io.alerts).toEqual([])
    expect(io.timersStarted).toBeLessThan(60 * 30)
  })

  it('do not run for a coil on an input with a sine and no trigger', async () => {
    const io = new BareIoModule()
    io.wiring.connect('5/1', coil({ ohms: 300, henry: 0.6 }))
    io.wiring.connect('5/1', sineWave({ frequencyHz: 50, amplitudeVolts: 5, ohms: 10 }))
    await io.clock.advance(3_600_000)
    expect(io.timersStarted).toBe(0)
  })
})
