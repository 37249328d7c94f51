import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins, pinOf } from './pin-story.testkit.ts'

const power = allPins('5_volt', 100)
const high = { pin: 6, state: 'high' }

describeDevice(
  'power-management and simultaneous requests to the same slot, on a timed bus',
  (device) => {
    const io = device.module('io', 5)
    const both = async (first: Promise<{ status: number }>, second: Promise<{ status: number }>) => {
      const answers = await device.until(Promise.all([first, second]))
      return answers.map(({ status }) => status)
    }

    it('powers an output that comes after it, which keeps its level', async () => {
      for (let time = 0; time < 2; time++) {
        expect(await both(io.post('power-management', power), io.post('output/state', high))).toEqual([200, 200])
        // Pin 6 drives 5 V; without load it is a little above.
        expect((await device.until(pinOf(io, 6))).value).toBeGreaterThan(4900)
      }
    })

    it('runs after an output that came before it, and resets that', async () => {
      await device.until(io.set('power-management', power))
      expect(await both(io.post('output/state', high), io.post('power-management', power))).toEqual([200, 200])
      expect((await device.until(pinOf(io, 6))).value).toBeLessThan(100)
    })

    it('runs before a reset that came after it, so no power is left', async () => {
      expect(await both(io.post('power-management', power), io.post('reset', { reset: 'yes' }))).toEqual([200, 200])
      expect((await device.until(io.post('output/state', high))).status).toBe(400)
    })
  },
  { bus: 'timed' },
)
