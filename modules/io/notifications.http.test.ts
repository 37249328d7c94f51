import { connect } from 'node:net'
import { beforeEach, expect, it } from 'vitest'
import { RecordingLog } from '../../packages/driver/src/rack/recording-log.testkit.ts'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import * as firmwares from '../firmwares.ts'
import { alertsOf, allPins } from './pin-story.testkit.ts'

const NONE = { under_voltage_alert: false, high_voltage_alert: false, high_current_alert: false, custom_voltage_alert: false }

describeDevice('GET notification/<pin>', (device) => {
  const io = device.module('io', 5)
  const threshold = (pin: number) => io.set('input/analog/threshold', { pin, threshold_millivolt: 2500, trigger: 'rising' })

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

const log = new RecordingLog()
const lines = () => log.lines.filter(({ message }) => message === 'notification from the module')

describeDevice(
  'a notification in the log',
  (device) => {
    const io = device.module('io', 5)
    beforeEach(() => log.lines.splice(0))

    it('names the pin and the alert', async () => {
      await io.set('power-management', allPins('5_volt', 100))
      await io.set('input/analog/threshold', { pin: 2, threshold_millivolt: 2500, trigger: 'rising' })
      await io.set('output/state', { pin: 1, state: 'high' })
      await device.advance(50)
      const pins = [{ pin: 2, alerts: ['custom_voltage_alert'] }]
      expect(lines()).toMatchObject([{ level: 'info', fields: { slot: 5, notifications: 1, pins } }])
    })
  },
  { log },
)
