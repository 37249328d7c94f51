import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins, expectRefused, pinOf } from './pin-story.testkit.ts'

const NOT_ANALOG = 'pin 1 is not an analog input: send POST input/mode with mode analog first'
const NOT_DIGITAL = 'pin 1 is not a digital input: send POST input/mode with mode digital first'
const NO_POWER = 'pin 1 has no power: first send POST power-management with a current above 0 mA for this pin'
const outside = (pin: number) => `pin ${pin} carries a voltage from outside: disconnect it before the pin is driven`

const pwm = { pin: 1, prescaler: 0, time_on: 500, period: 1000 }

describeDevice('IO pin modes', (device) => {
  const io = device.module('io', 5)

  it.each([
    ['output/state', { pin: 1, state: 'low' }, NO_POWER],
    ['output/pwm', { ...pwm, time_on: 0 }, NO_POWER],
    ['input/digital/interrupt', { pin: 1, debounce_time_milliseconds: 0, trigger: 'pulse' }, NOT_DIGITAL],
    ['input/digital/counter', { pin: 1, state: 'enabled' }, NOT_DIGITAL],
  ])('refuse POST %s on a new analog pin with the request that must come first', async (path, body, message) => {
    await expectRefused(io, path, body, message)
  })

  it('refuse a threshold on an output, and an output with a voltage from outside', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('output/pwm', pwm)
    await expectRefused(io, 'input/analog/threshold', { pin: 1, threshold_millivolt: 2500, trigger: 'rising' }, NOT_ANALOG)
    await io.set('input/analog/threshold', { pin: 1, threshold_millivolt: 2500, trigger: 'disabled' })
    await expectRefused(io, 'output/state', { pin: 3, state: 'high' }, outside(3))
    await expectRefused(io, 'output/pwm', { ...pwm, pin: 4 }, outside(4))
    expect((await pinOf(io, 3)).value).toBe(3270)
  })
})
