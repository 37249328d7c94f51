import { beforeEach, expect, it } from 'vitest'
import { RecordingLog } from '../../packages/driver/src/rack/recording-log.testkit.ts'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins } from './pin-story.testkit.ts'

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
