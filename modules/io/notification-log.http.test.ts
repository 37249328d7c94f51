import { resistor } from '@slotwire/twin'
import { beforeEach, expect, it } from 'vitest'
import { RecordingLog } from '../../packages/driver/src/rack/recording-log.testkit.ts'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { alertsOf, allPins } from './pin-story.testkit.ts'

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

    it('is a warning if an alert disabled a pin', async () => {
      await io.set('power-management', allPins('5_volt', 10))
      device.chassis.wiring.connect('5/5', resistor({ ohms: 10, volts: 0 }))
      await io.set('output/state', { pin: 5, state: 'high' })
      await device.advance(100)
      const pins = [{ pin: 5, alerts: ['under_voltage_alert', 'high_current_alert'] }]
      expect(lines()).toMatchObject([{ level: 'warn', fields: { slot: 5, pins } }])
    })

    it('is one line a second, even with constant interrupts and polling', async () => {
      await io.set('input/analog/threshold', { pin: 4, threshold_millivolt: 2500, trigger: 'rising' })
      let found = 0
      for (let ms = 0; ms < 10_000; ms += 25) {
        await device.advance(25)
        found += (await alertsOf(io, 4)).length
      }
      expect(found).toBeGreaterThan(20)
      expect(lines().length).toBeLessThanOrEqual(11)
    })
  },
  { log },
)
