import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { alertsOf, allPins, expectRefused, pinOf } from './pin-story.testkit.ts'

const NOT_ANALOG = 'pin 1 is not an analog input: send POST input/mode with mode analog first'
const NOT_DIGITAL = 'pin 1 is not a digital input: send POST input/mode with mode digital first'
const NO_POWER = 'pin 1 has no power: first send POST power-management with a current above 0 mA for this pin'

const threshold = (trigger: string, pin = 1) => ({ pin, threshold_millivolt: 2500, trigger })
const interrupt = (trigger: string, pin = 1) => ({ pin, debounce_time_milliseconds: 0, trigger })
const counter = (state: string, pin = 1) => ({ pin, state })
const pwm = (pin = 1) => ({ pin, prescaler: 0, time_on: 500, period: 1000 })

describeDevice('IO pin modes', (device) => {
  const io = device.module('io', 5)
  const typeOf = async (pin = 1) => (await pinOf(io, pin)).pin_type

  /** Puts pin 1 into a mode. */
  const enter: Record<string, () => Promise<void>> = {
    analog: () => io.set('input/mode', { pin: 1, mode: 'analog' }),
    digital: () => io.set('input/mode', { pin: 1, mode: 'digital' }),
    output: () => io.set('output/state', { pin: 1, state: 'high' }),
    pwm: () => io.set('output/pwm', pwm()),
  }
  const modes = Object.keys(enter)

  it('start with six analog inputs', async () =>
    expect((await io.read('input/values'))['pins']).toEqual([
      { pin: 1, pin_type: 'voltage_millivolt', value: 0 },
      { pin: 2, pin_type: 'voltage_millivolt', value: 0 },
      { pin: 3, pin_type: 'voltage_millivolt', value: 3270 },
      { pin: 4, pin_type: 'voltage_millivolt', value: expect.any(Number) as number },
      { pin: 5, pin_type: 'voltage_millivolt', value: 0 },
      { pin: 6, pin_type: 'voltage_millivolt', value: 0 },
    ]))

  it.each(modes.flatMap((from) => modes.map((to) => [from, to] as const)))('allow a change from %s to %s', async (from, to) => {
    await io.set('power-management', allPins('5_volt', 100))
    await enter[from]?.()
    await enter[to]?.()
    expect(await typeOf()).toBe(to === 'digital' ? 'digital_input' : 'voltage_millivolt')
    const driven = (await pinOf(io, 2)).value
    if (to === 'output') expect(driven).toBe(5150)
    else if (to === 'pwm') expect([0, 5150]).toContain(driven)
    else expect(driven).toBe(0)
  })

  it.each(modes)('are analog after a reset from %s', async (mode) => {
    await io.set('power-management', allPins('5_volt', 100))
    await enter[mode]?.()
    await io.set('reset', { reset: 'yes' })
    expect([await typeOf(), (await pinOf(io, 2)).value]).toEqual(['voltage_millivolt', 0])
    await expectRefused(io, 'output/state', { pin: 1, state: 'high' }, NO_POWER)
  })

  it('reset the pin configuration with mode analog, including the threshold', async () => {
    await io.set('input/analog/threshold', threshold('rising', 4))
    await io.set('input/mode', { pin: 4, mode: 'analog' })
    await device.advance(100)
    expect(await alertsOf(io, 4)).toEqual([])
  })

  it.each(['digital', 'output', 'pwm'])('refuse a threshold other than disabled in mode %s', async (mode) => {
    await io.set('power-management', allPins('5_volt', 100))
    await enter[mode]?.()
    await expectRefused(io, 'input/analog/threshold', threshold('rising'), NOT_ANALOG)
    await expectRefused(io, 'input/analog/threshold', threshold('falling'), NOT_ANALOG)
    await io.set('input/analog/threshold', threshold('disabled'))
  })

  it.each(['analog', 'output', 'pwm'])('refuse interrupt and counter other than disabled in mode %s', async (mode) => {
    await io.set('power-management', allPins('5_volt', 100))
    await enter[mode]?.()
    for (const trigger of ['rising', 'falling', 'pulse']) {
      await expectRefused(io, 'input/digital/interrupt', interrupt(trigger), NOT_DIGITAL)
    }
    await expectRefused(io, 'input/digital/counter', counter('enabled'), NOT_DIGITAL)
    await io.set('input/digital/interrupt', interrupt('disabled'))
    await io.set('input/digital/counter', counter('disabled'))
  })

  it('switch interrupt and counter off when the current mode is set again', async () => {
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/interrupt', interrupt('rising', 4))
    await io.set('input/digital/counter', counter('enabled', 4))
    await device.advance(50)
    expect(await alertsOf(io, 4)).toEqual(['custom_voltage_alert'])
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await device.advance(30)
    await io.read('notification/4')
    await device.advance(50)
    expect(await alertsOf(io, 4)).toEqual([])
    expect(await typeOf(4)).toBe('digital_input')
  })

  it('refuse an output without a power configuration, and pwm, even with time_on 0', async () => {
    await expectRefused(io, 'output/state', { pin: 1, state: 'high' }, NO_POWER)
    await expectRefused(io, 'output/state', { pin: 1, state: 'low' }, NO_POWER)
    await expectRefused(io, 'output/pwm', pwm(), NO_POWER)
    await expectRefused(io, 'output/pwm', { ...pwm(), time_on: 0 }, NO_POWER)
  })

  it('give no supply to a pin with 0 mA', async () => {
    const { config } = allPins('5_volt', 100)
    await io.set('power-management', { config: config.with(0, { rail: '5_volt', current_milliampere: 0 }) })
    await expectRefused(io, 'output/state', { pin: 1, state: 'low' }, NO_POWER)
    await io.set('output/state', { pin: 2, state: 'low' })
  })

  it('do not drive a pin with a voltage from outside', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    const message = (pin: number) => `pin ${pin} carries a voltage from outside: disconnect it before the pin is driven`
    await expectRefused(io, 'output/state', { pin: 3, state: 'high' }, message(3))
    await expectRefused(io, 'output/pwm', pwm(4), message(4))
    expect((await pinOf(io, 3)).value).toBe(3270)
  })

  it('only change the level with output/state on an output', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('output/state', { pin: 1, state: 'low' })
    await io.set('input/analog/threshold', { pin: 2, threshold_millivolt: 2500, trigger: 'rising' })
    await io.set('output/state', { pin: 1, state: 'high' })
    expect((await pinOf(io, 2)).value).toBe(5150)
    await io.set('output/state', { pin: 1, state: 'low' })
    expect((await pinOf(io, 2)).value).toBe(0)
    await device.advance(30)
    expect(await alertsOf(io, 2)).toEqual(['custom_voltage_alert'])
  })
})
