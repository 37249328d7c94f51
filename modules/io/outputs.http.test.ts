import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { alertsOf, allPins, milliampereAt, pinOf } from './pin-story.testkit.ts'

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

  it('shows the 12 V rail with 12 V', async () => {
    await io.set('power-management', allPins('12_volt', 100))
    await drive(1, 'high')
    expect((await pinOf(io, 2)).value).toBe(12_050)
  })

  it('raises a threshold event at 5/2 when 5/1 rises, and one when it falls', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('input/analog/threshold', { pin: 2, threshold_millivolt: 2500, trigger: 'rising' })
    await drive(1, 'high')
    await device.advance(20)
    expect(await alertsOf(io, 2)).toEqual(['custom_voltage_alert'])
    await drive(1, 'low')
    await device.advance(30)
    expect(await alertsOf(io, 2)).toEqual([])
    await io.set('input/analog/threshold', { pin: 2, threshold_millivolt: 2500, trigger: 'falling' })
    await drive(1, 'high')
    await device.advance(30)
    expect(await alertsOf(io, 2)).toEqual([])
    await drive(1, 'low')
    await device.advance(30)
    expect(await alertsOf(io, 2)).toEqual(['custom_voltage_alert'])
    await io.set('input/analog/threshold', { pin: 2, threshold_millivolt: 2500, trigger: 'disabled' })
    await drive(1, 'high')
    await drive(1, 'low')
    await device.advance(30)
    expect(await alertsOf(io, 2)).toEqual([])
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

  it('counts at 5/2 the edges of 5/1 in the last second', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('input/mode', { pin: 2, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 2, state: 'enabled' })
    for (let times = 0; times < 7; times++) {
      await drive(1, 'high')
      await device.advance(20)
      await drive(1, 'low')
      await device.advance(20)
    }
    expect(await pinOf(io, 2)).toEqual({ pin: 2, pin_type: 'frequency_hertz', value: 7 })
    await device.advance(1000)
    expect((await pinOf(io, 2)).value).toBe(0)
    await io.set('input/digital/counter', { pin: 2, state: 'disabled' })
    expect((await pinOf(io, 2)).pin_type).toBe('digital_input')
  })

  it('counts the square wave at 5/4 as 100 Hz and raises an interrupt, both at the same time', async () => {
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/counter', { pin: 4, state: 'enabled' })
    await io.set('input/digital/interrupt', { pin: 4, debounce_time_milliseconds: 250, trigger: 'rising' })
    await device.advance(1500)
    expect(await pinOf(io, 4)).toEqual({ pin: 4, pin_type: 'frequency_hertz', value: 100 })
    expect(await alertsOf(io, 4)).toEqual(['custom_voltage_alert'])
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

describeDevice('GET input/values/current', (device) => {
  const io = device.module('io', 5)

  it('is answered in every mode, with the loss of the switching transistor while driving', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    expect(await pinOf(io, 1, 'input/values/current')).toEqual({ pin: 1, pin_type: 'current_milliampere', value: 0 })
    await io.set('input/mode', { pin: 5, mode: 'digital' })
    await io.set('output/state', { pin: 1, state: 'high' })
    await io.set('output/pwm', { pin: 6, prescaler: 0, time_on: 500, period: 1000 })
    const { pins } = await io.read('input/values/current')
    expect((pins as { value: number }[]).map(({ value }) => value)).toEqual([2, 0, 0, 0, 0, 4])
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

  it('drives the pin low with time_on 0, which the timer would hold high', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('output/pwm', { pin: 1, prescaler: 0, time_on: 0, period: 100 })
    for (let times = 0; times < 5; times++) {
      await device.advance(0.7)
      expect((await pinOf(io, 1)).value).toBe(0)
    }
    expect(device.bus.exchanges(5)).toContain('030202010100')
    expect(device.bus.exchanges(5).filter((payload) => payload.startsWith('0302020102'))).toEqual([])
  })

  it('sends the period minus one', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('output/pwm', { pin: 1, prescaler: 7, time_on: 25, period: 100 })
    expect(device.bus.exchanges(5).at(-1)).toBe('0302020102000700000019' + '00000063')
  })

  it.each([
    [0, 48, 'equal to 1 MHz', 422],
    [0, 49, 'below 1 MHz', 200],
    [47, 2, 'below 1 MHz', 200],
    [23, 2, 'equal to 1 MHz', 422],
    [24, 2, 'below 1 MHz', 200],
    [22, 3, 'below 1 MHz', 200],
    [15, 3, 'equal to 1 MHz', 422],
    [65_535, 65_536, 'below 1 MHz', 200],
  ])('48 MHz / (%i + 1) / %i is %s: %s → %i', async (prescaler, period, _, expected) => {
    await io.set('power-management', allPins('5_volt', 100))
    const { status, body } = await io.post('output/pwm', { pin: 6, prescaler, time_on: 1, period })
    expect(status).toBe(expected)
    if (expected === 422) expect(body?.['message']).toMatch(/^period is out of range: \d+…65536 ticks.*below 1000000 Hz$/)
  })
})
