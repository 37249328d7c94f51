import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { alertsOf, allPins, expectRefused, milliampereAt, pinOf } from './pin-story.testkit.ts'

describeDevice('the first example', (device) => {
  const io = device.module('io', 5)
  const drive = (pin: number, state: 'high' | 'low') => io.set('output/state', { pin, state })

  it('shows the rail at both pins when 5/1 drives 5/2', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await drive(1, 'high')
    expect(await pinOf(io, 1)).toEqual({ pin: 1, pin_type: 'voltage_millivolt', value: 5150 })
    expect((await pinOf(io, 2)).value).toBe(5150)
    await drive(1, 'low')
    expect((await pinOf(io, 2)).value).toBe(0)
  })

  it('raises an interrupt at 5/2 for one edge only; the pin stays as configured', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('input/mode', { pin: 2, mode: 'digital' })
    const edges: Record<string, string[]> = {}
    for (const trigger of ['rising', 'falling', 'pulse', 'disabled']) {
      await io.set('input/digital/interrupt', { pin: 2, debounce_time_milliseconds: 0, trigger })
      edges[trigger] = []
      for (const state of ['high', 'low'] as const) {
        await drive(1, state)
        await device.advance(30)
        if ((await alertsOf(io, 2)).length > 0) edges[trigger].push(state)
      }
    }
    expect(edges).toEqual({ rising: ['high'], falling: ['low'], pulse: ['low'], disabled: [] })
    expect(await pinOf(io, 2)).toEqual({ pin: 2, pin_type: 'digital_input', value: 0 })
    await drive(1, 'high')
    expect(await pinOf(io, 2)).toEqual({ pin: 2, pin_type: 'digital_input', value: 1 })
  })

  it('reads 3.27 V at 5/3: 3.3 V behind 10 kΩ against 1 MΩ', async () => {
    expect(await pinOf(io, 3)).toEqual({ pin: 3, pin_type: 'voltage_millivolt', value: 3270 })
    await io.set('input/mode', { pin: 3, mode: 'digital' })
    expect(await pinOf(io, 3)).toEqual({ pin: 3, pin_type: 'digital_input', value: 1 })
  })

  it('raises high_current_alert on a short circuit between 5/1 and 5/2, and the pin becomes analog', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await drive(2, 'low')
    await drive(1, 'high')
    await device.advance(30)
    expect(await alertsOf(io, 1)).toContain('high_current_alert')
    expect([(await pinOf(io, 1)).value, await milliampereAt(io, 1)]).toEqual([0, 0])
    expect((await io.post('input/analog/threshold', { pin: 1, threshold_millivolt: 50, trigger: 'rising' })).status).toBe(200)
    const { status } = await device.module('power', 1).get('protectionlog')
    expect(status).toBe(200)
    expect((await device.module('power', 1).read('protectionlog'))['opp_protection_cnt']).toBe(0)
  })
})

describeDevice('POST output/pwm', (device) => {
  const io = device.module('io', 5)

  it('drives the requested duty cycle at the requested frequency', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('input/mode', { pin: 2, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 2, state: 'enabled' })
    // 48 MHz / 48 000 / 20 = 50 Hz, high for a quarter of each 20 ms.
    await io.set('output/pwm', { pin: 1, prescaler: 47_999, time_on: 5, period: 20 })
    await device.advance(1000)
    expect((await pinOf(io, 2)).value).toBe(50)
    const levels: number[] = []
    for (let ms = 0; ms < 20; ms++) {
      levels.push((await pinOf(io, 1)).value)
      await device.advance(1)
    }
    expect(levels.filter((value) => value === 5150)).toHaveLength(5)
    expect(levels.filter((value) => value === 0)).toHaveLength(15)
  })
})

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
