import { short, source, squareWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'
import * as wire from './wire.ts'

const high = { pin: 1, state: 'high' } as const
const slowPwm = { pin: 1, prescaler: 0, timeOn: 24_000, period: 48_000 } as const

/** A module whose pin 1 is in each of the modes. */
const inEachMode: Record<string, (io: BareIoModule) => void> = {
  analog: () => undefined,
  'analog with threshold': (io) => io.threshold(1, 2000, 'rising'),
  digital: (io) => io.mode(1, 'digital'),
  'digital with interrupt and counter': (io) => {
    io.mode(1, 'digital')
    io.interrupt(1, 'rising')
    io.counter(1, 'enabled')
  },
  output: (io) => io.output(1, 'high'),
  pwm: (io) => io.send(wire.setOutputPwm, slowPwm),
}

function bench(mode: string): BareIoModule {
  const made = new BareIoModule()
  made.power()
  inEachMode[mode]?.(made)
  return made
}

const modes = Object.keys(inEachMode)

describe('the initial state', () => {
  it('is analog on every pin, with no current', () => {
    const { readings } = new BareIoModule().send(wire.getValues, {})
    expect(readings).toEqual([1, 2, 3, 4, 5, 6].map((pin) => ({ pin, type: 'voltage_millivolt', value: 0 })))
    const currents = new BareIoModule().send(wire.getCurrentValues, {}).readings
    expect(currents).toEqual([1, 2, 3, 4, 5, 6].map((pin) => ({ pin, type: 'current_milliampere', value: 0 })))
  })

  it.each(modes)('is restored from %s by a reset', async (mode) => {
    const io = bench(mode)
    io.firmware.reset()
    io.firmware.start?.()
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    expect(io.statusOf(wire.setOutputState, high)).toBe(wire.OutputStatus.powerConfigurationMissing)
    io.wiring.connect('5/1', source({ volts: 5 }))
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
  })
})

describe('SET_INPUT_MODE', () => {
  it.each(modes)('changes %s to an analog input without threshold', async (mode) => {
    const io = bench(mode)
    io.mode(1, 'analog')
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    io.wiring.connect('5/1', source({ volts: 5 }))
    await io.clock.advance(100)
    expect(io.value(1)).toEqual(['voltage_millivolt', 5000])
    expect(io.alerts).toEqual([])
  })

  it.each(modes)('changes %s to a digital input without interrupt and counter', async (mode) => {
    const io = bench(mode)
    io.mode(1, 'digital')
    expect(io.value(1)).toEqual(['digital_input', 0])
    io.wiring.connect('5/1', source({ volts: 5 }))
    await io.clock.advance(100)
    expect(io.value(1)).toEqual(['digital_input', 1])
    expect(io.alerts).toEqual([])
  })
})

describe('SET_OUTPUT', () => {
  it.each(modes)('changes %s to an output if it has a level', (mode) => {
    const io = bench(mode)
    io.output(1, 'high')
    expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
    io.output(1, 'low')
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
  })

  it.each(modes)('changes %s to pwm if it has a timing', async (mode) => {
    const io = bench(mode)
    io.send(wire.setOutputPwm, slowPwm)
    expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
    await io.clock.advance(0.6)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
  })

  it('is refused without a power configuration, and for a pin with 0 mA', () => {
    const io = new BareIoModule()
    expect(io.statusOf(wire.setOutputState, high)).toBe(wire.OutputStatus.powerConfigurationMissing)
    expect(io.statusOf(wire.setOutputPwm, slowPwm)).toBe(wire.OutputStatus.powerConfigurationMissing)
    io.power(0)
    expect(io.statusOf(wire.setOutputState, high)).toBe(wire.OutputStatus.powerConfigurationMissing)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
  })

  it('is refused while the pin carries more than 0.5 V from outside, and changes nothing', () => {
    const io = bench('digital')
    io.wiring.connect('5/1', source({ volts: 0.51 }))
    expect(io.statusOf(wire.setOutputState, high)).toBe(wire.OutputStatus.externalVoltage)
    expect(io.statusOf(wire.setOutputPwm, slowPwm)).toBe(wire.OutputStatus.externalVoltage)
    expect(io.value(1)[0]).toBe('digital_input')
  })

  it('is accepted at 0.5 V from outside', () => {
    const io = bench('analog')
    io.wiring.connect('5/1', source({ volts: 0.5, ohms: 1000 }))
    expect(io.statusOf(wire.setOutputState, high)).toBe(0)
  })

  it('is refused on a pin with a square wave, also in its low part', () => {
    const io = bench('analog')
    io.wiring.connect('5/1', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5, phaseDegrees: 180 }))
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
    expect(io.statusOf(wire.setOutputState, high)).toBe(wire.OutputStatus.externalVoltage)
  })

  it('is refused because of a voltage that another pin drives', () => {
    const io = bench('analog')
    io.wiring.wire('5/1', '5/2')
    io.output(2, 'high')
    expect(io.statusOf(wire.setOutputState, high)).toBe(wire.OutputStatus.externalVoltage)
    io.output(2, 'low')
    expect(io.statusOf(wire.setOutputState, high)).toBe(0)
  })

  it('only changes the level of a pin that is already an output, whatever is connected', () => {
    const io = bench('output')
    io.wiring.connect('5/1', source({ volts: 3, ohms: 1000 }))
    expect(io.statusOf(wire.setOutputState, { pin: 1, state: 'low' })).toBe(0)
    expect(io.statusOf(wire.setOutputState, high)).toBe(0)
    expect(io.statusOf(wire.setOutputPwm, slowPwm)).toBe(wire.OutputStatus.externalVoltage)
    expect(io.value(1)[1]).toBeGreaterThan(5000)
  })

  it.each([
    { prescaler: 0, timeOn: 10, period: 10, status: 5, why: 'time_on equal to period' },
    { prescaler: 0, timeOn: 1, period: 48, status: 5, why: 'exactly 1 MHz' },
    { prescaler: 0, timeOn: 1, period: 49, status: 0, why: 'just below 1 MHz' },
    { prescaler: 23, timeOn: 1, period: 2, status: 5, why: 'exactly 1 MHz by the prescaler' },
    { prescaler: 24, timeOn: 1, period: 2, status: 0, why: 'just below 1 MHz by the prescaler' },
    { prescaler: 65_535, timeOn: 65_535, period: 65_536, status: 0, why: 'the slowest' },
  ])('answers $status for prescaler $prescaler, $timeOn of $period ticks: $why', ({ status, prescaler, timeOn, period }) =>
    expect(bench('analog').statusOf(wire.setOutputPwm, { pin: 1, prescaler, timeOn, period })).toBe(status),
  )

  it('keeps the pin always high with time_on 0, as the hardware does', async () => {
    const io = bench('analog')
    // The driver never sends it: call the firmware directly.
    const setPwm = io.firmware.handlers.find(({ command }) => command.name === wire.setOutputPwm.name)
    setPwm?.run({ pin: 1, prescaler: 0, timeOn: 0, period: 48_000 })
    for (let step = 0; step < 20; step++) {
      await io.clock.advance(0.13)
      expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
    }
  })

  it('starts a new period when the timing of a pwm pin changes', async () => {
    const io = bench('pwm')
    await io.clock.advance(0.75)
    io.pwm(1, 0, 12_000, 48_000)
    await io.clock.advance(0.2)
    expect(io.value(1)).toEqual(['voltage_millivolt', 5150])
    await io.clock.advance(0.1)
    expect(io.value(1)).toEqual(['voltage_millivolt', 0])
  })
})

describe('triggers and counter', () => {
  it.each(['digital', 'output', 'pwm'])('refuse a threshold on a pin that is %s', (mode) => {
    const request = { pin: 1, millivolt: 1000, trigger: 'rising' } as const
    expect(bench(mode).statusOf(wire.setAnalogThreshold, request)).toBe(wire.InputStatus.invalidMode)
  })

  it.each(['analog', 'output', 'pwm'])('refuse an interrupt and a counter on a pin that is %s', (mode) => {
    const io = bench(mode)
    const interrupt = { pin: 1, debounceMs: 0, trigger: 'pulse' } as const
    expect(io.statusOf(wire.setDigitalInterrupt, interrupt)).toBe(wire.InputStatus.invalidMode)
    expect(io.statusOf(wire.setDigitalCounter, { pin: 1, state: 'enabled' })).toBe(wire.InputStatus.invalidMode)
  })

  it.each(modes)('accept `disabled` on a pin that is %s', (mode) => {
    const io = bench(mode)
    expect(io.statusOf(wire.setAnalogThreshold, { pin: 1, millivolt: 50, trigger: 'disabled' })).toBe(0)
    expect(io.statusOf(wire.setDigitalInterrupt, { pin: 1, debounceMs: 0, trigger: 'disabled' })).toBe(0)
    expect(io.statusOf(wire.setDigitalCounter, { pin: 1, state: 'disabled' })).toBe(0)
  })

  it('raise no event after a threshold is disabled', async () => {
    const io = bench('analog with threshold')
    io.threshold(1, 2000, 'disabled')
    io.wiring.connect('5/1', source({ volts: 5 }))
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
  })

  it('raise no event after an interrupt is disabled, and keep the counter', async () => {
    const io = bench('digital with interrupt and counter')
    io.interrupt(1, 'disabled')
    io.wiring.connect('5/1', source({ volts: 5 }))
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
    expect(io.value(1)).toEqual(['frequency_hertz', 1])
    io.counter(1, 'disabled')
    expect(io.value(1)).toEqual(['digital_input', 1])
  })
})

it('the modes of different pins are independent', () => {
  const io = bench('output')
  io.mode(2, 'digital')
  io.mode(3, 'digital')
  io.counter(3, 'enabled')
  io.pwm(4, 0, 1, 48_000)
  expect(io.send(wire.getValues, {}).readings.map(({ type }) => type)).toEqual(
    'voltage_millivolt digital_input frequency_hertz voltage_millivolt voltage_millivolt voltage_millivolt'.split(' '),
  )
})

describe('a module that loses its supply', () => {
  it('drives nothing, sends nothing, needs no timer, and leaves the wiring unchanged', async () => {
    const io = bench('output')
    io.mode(2, 'digital')
    io.interrupt(2, 'rising')
    io.wiring.connect('5/3', squareWave({ frequencyHz: 100, lowVolts: 0, highVolts: 5 }))
    io.mode(3, 'digital')
    io.interrupt(3, 'rising')
    const shorted = io.wiring.connect('5/1', short())
    await io.clock.advance(2)
    io.firmware.powerDown()
    expect(io.clock.pending).toBe(0)
    shorted.disconnect()
    expect(io.wiring.terminal('5/1').voltsAt(io.clock.now())).toBe(0)
    expect(io.wiring.terminal('5/3').voltsAt(io.clock.now())).toBe(5)
    expect(io.rails.current('3v3')).toBe(0)
    await io.clock.advance(100)
    expect(io.alerts).toEqual([])
  })

  it('starts in its initial state when supply returns', () => {
    const io = bench('output')
    io.firmware.powerDown()
    io.firmware.reset()
    io.firmware.start?.()
    io.wiring.connect('5/1', source({ volts: 5 }))
    expect(io.value(1)).toEqual(['voltage_millivolt', 5000])
    expect(io.rails.current('3v3')).toBeGreaterThan(0)
  })
})
