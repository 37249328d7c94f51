import { connect } from 'node:net'
import { source } from '@slotwire/twin'
import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import * as firmwares from '../firmwares.ts'
import { alertsOf, allPins, pinOf } from './pin-story.testkit.ts'

const NONE = { under_voltage_alert: false, high_voltage_alert: false, high_current_alert: false, custom_voltage_alert: false }

describeDevice('GET notification/<pin>', (device) => {
  const io = device.module('io', 5)
  const threshold = (pin: number) => io.set('input/analog/threshold', { pin, threshold_millivolt: 2500, trigger: 'rising' })

  it('has four flags, all false at first', async () => {
    for (const pin of [1, 2, 3, 4, 5, 6]) expect(await io.read(`notification/${pin}`)).toEqual(NONE)
  })

  it.each(['0', '7', '4294967297'])('answers 404 for pin %s, which does not exist', async (pin) => {
    const { status, body } = await io.get(`notification/${pin}`)
    expect([status, body?.['message']]).toEqual([404, `pin ${pin} does not exist: 1…6`])
  })

  it.each(['one', '01', '+1', '1.0', '-1', '%31%00', ''])(
    'answers 404 Not Found for pin %j, which is not a number',
    async (pin) => {
      const { status, body } = await io.get(`notification/${pin}`)
      expect([status, body]).toEqual([404, { status: 'error', code: 404, message: 'Not Found' }])
    },
  )

  it('clears the flags of that pin only', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await threshold(2)
    await threshold(4)
    await io.set('output/state', { pin: 1, state: 'high' })
    await device.advance(50)
    expect(await alertsOf(io, 2)).toEqual(['custom_voltage_alert'])
    expect(await alertsOf(io, 2)).toEqual([])
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'disabled' })
    await device.advance(50)
    expect(await alertsOf(io, 4)).toEqual(['custom_voltage_alert'])
    expect(await alertsOf(io, 4)).toEqual([])
  })

  it('returns an event 20 ms after it happened, not before', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await threshold(2)
    await io.set('output/state', { pin: 1, state: 'high' })
    await device.advance(19.5)
    expect(await alertsOf(io, 2)).toEqual([])
    await device.advance(0.5)
    expect(await alertsOf(io, 2)).toEqual(['custom_voltage_alert'])
  })

  it('merges several events into one: only the fact is stored', async () => {
    await threshold(4)
    await device.advance(500)
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'disabled' })
    await device.advance(50)
    expect(await alertsOf(io, 4)).toEqual(['custom_voltage_alert'])
    expect(await alertsOf(io, 4)).toEqual([])
  })

  it('merges events of different kinds', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('output/state', { pin: 2, state: 'low' })
    await io.set('output/state', { pin: 1, state: 'high' })
    await device.advance(40)
    await io.set('input/mode', { pin: 2, mode: 'analog' })
    await io.set('input/analog/threshold', { pin: 1, threshold_millivolt: 1000, trigger: 'rising' })
    await io.set('output/state', { pin: 2, state: 'high' })
    await device.advance(40)
    expect(await alertsOf(io, 1)).toEqual(expect.arrayContaining(['high_current_alert', 'custom_voltage_alert']))
  })

  it('never waits for the bus', async () => {
    await threshold(4)
    await device.advance(50)
    device.bus.hold(5)
    expect(await alertsOf(io, 4)).toEqual(['custom_voltage_alert'])
    device.bus.release(5)
  })

  it('loses its flags with the module', async () => {
    await threshold(4)
    await device.advance(50)
    device.chassis.unplug(5)
    device.chassis.plug(5, firmwares.io)
    await device.advance(1000)
    expect(await io.read('notification/4')).toEqual(NONE)
  })

  it('keeps the flags if the connection broke before the response was sent', async () => {
    await threshold(4)
    await device.advance(50)
    const port = await device.listen()
    const socket = connect({ host: '127.0.0.1', port })
    // Pipelined behind a request that waits for the bus, so its response cannot be sent earlier.
    device.bus.hold(5)
    const end = `HTTP/1.1\r\nHost: localhost\r\n\r\n`
    socket.write(`GET ${io.path}/input/values ${end}GET ${io.path}/notification/4 ${end}`)
    const sent = () => device.bus.exchanges(5).at(-1) === '030106'
    while (!sent()) await device.advance(0)
    await device.advance(0)
    socket.destroy()
    await new Promise((resolve) => socket.once('close', resolve))
    await device.advance(0)
    device.bus.release(5)
    await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'disabled' })
    await device.advance(50)
    expect(await alertsOf(io, 4)).toEqual(['custom_voltage_alert'])
  })
})

describeDevice('alerts', (device) => {
  const io = device.module('io', 5)

  it('disables an overloaded output and reports why', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('output/state', { pin: 5, state: 'high' })
    device.chassis.wiring.short('5/5')
    await device.advance(30)
    expect(await alertsOf(io, 5)).toContain('high_current_alert')
    expect(await pinOf(io, 5)).toEqual({ pin: 5, pin_type: 'voltage_millivolt', value: 0 })
  })

  it('reports under voltage for an output whose rail fails', async () => {
    await io.set('power-management', allPins('12_volt', 100))
    await io.set('output/state', { pin: 5, state: 'high' })
    device.chassis.rails.switchRail('12v', false)
    await device.advance(30)
    expect(await alertsOf(io, 5)).toEqual(['under_voltage_alert'])
    expect((await pinOf(io, 5)).value).toBe(0)
  })

  it('reports high voltage above 25 V in any mode', async () => {
    await io.set('input/mode', { pin: 5, mode: 'digital' })
    device.chassis.wiring.connect('5/5', source({ volts: 30 }))
    await device.advance(30)
    expect(await alertsOf(io, 5)).toEqual(['high_voltage_alert'])
    expect(await pinOf(io, 5)).toEqual({ pin: 5, pin_type: 'voltage_millivolt', value: 25_000 })
  })

  it('disables an output with a voltage above its rail', async () => {
    await io.set('power-management', allPins('5_volt', 300))
    await io.set('output/state', { pin: 5, state: 'high' })
    device.chassis.wiring.connect('5/5', source({ volts: 9, ohms: 10_000 }))
    await device.advance(30)
    expect(await alertsOf(io, 5)).toEqual([])
    device.chassis.wiring.connect('5/5', source({ volts: 6 }))
    await device.advance(30)
    expect(await alertsOf(io, 5)).toContain('high_voltage_alert')
    expect((await pinOf(io, 5)).value).toBe(6000)
  })
})

describeDevice('debounce_time_milliseconds', (device) => {
  const io = device.module('io', 5)

  it('ignores all events for the debounce time after the first', async () => {
    await io.set('power-management', allPins('5_volt', 100))
    await io.set('input/mode', { pin: 2, mode: 'digital' })
    await io.set('input/digital/interrupt', { pin: 2, debounce_time_milliseconds: 250, trigger: 'rising' })
    const pulse = async () => {
      await io.set('output/state', { pin: 1, state: 'high' })
      await device.advance(10)
      await io.set('output/state', { pin: 1, state: 'low' })
      await device.advance(40)
      return (await alertsOf(io, 2)).length
    }
    const heard: number[] = []
    for (let times = 0; times < 11; times++) heard.push(await pulse())
    expect(heard).toEqual([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  })
})
