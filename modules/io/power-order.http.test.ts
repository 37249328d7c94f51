import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins, pinOf } from './pin-story.testkit.ts'

const power = allPins('5_volt', 100)
const high = { pin: 6, state: 'high' }

describeDevice(
  'power-management and what is asked of the same slot at once, on a timed bus',
  (device) => {
    const io = device.module('io', 5)
    const both = async (first: Promise<{ status: number }>, second: Promise<{ status: number }>) => {
      const answers = await device.until(Promise.all([first, second]))
      return answers.map(({ status }) => status)
    }

    it('an output that comes after it finds its power, and stays as it was set', async () => {
      for (let time = 0; time < 2; time++) {
        expect(await both(io.post('power-management', power), io.post('output/state', high))).toEqual([200, 200])
        // Pin 6 drives 5 V, a little above without a load.
        expect((await device.until(pinOf(io, 6))).value).toBeGreaterThan(4900)
      }
    })

    it('an output that comes before it is done before it, and is gone', async () => {
      await device.until(io.set('power-management', power))
      expect(await both(io.post('output/state', high), io.post('power-management', power))).toEqual([200, 200])
      expect((await device.until(pinOf(io, 6))).value).toBeLessThan(100)
    })

    it('a reset that comes after it is done after it: no power is left', async () => {
      expect(await both(io.post('power-management', power), io.post('reset', { reset: 'yes' }))).toEqual([200, 200])
      expect((await device.until(io.post('output/state', high))).status).toBe(400)
    })
  },
  { bus: 'timed' },
)
