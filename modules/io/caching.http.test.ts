import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'
import { allPins } from './pin-story.testkit.ts'

const GET_VALUES = '030106'
const FRESH = { 'cache-control': 'no-cache' }

describeDevice('the one second cache of /input/ values', (device) => {
  const io = device.module('io', 5)
  const reads = () => device.bus.exchanges(5).filter((payload) => payload === GET_VALUES).length
  const pin4 = async (headers = {}) => ((await io.read('input/values', headers))['pins'] as { value: number }[])[3]?.value
  /** Half a period of the square wave at 5/4: a value that is read again differs. */
  const HALF_PERIOD_MS = 5

  it('is separate for each slot and resource', async () => {
    await io.read('input/values')
    await io.read('input/values/current')
    await device.module('io', 3).read('input/values')
    expect([device.bus.exchanges(5).slice(-2), device.bus.exchanges(3).slice(-1)]).toEqual([['030106', '030107'], ['030106']])
    await io.read('input/values/current')
    expect(reads()).toBe(1)
  })

  it.each([
    ['a write', () => io.set('input/mode', { pin: 6, mode: 'digital' })],
    ['a power configuration', () => io.set('power-management', allPins('5_volt', 50))],
    ['a reset', () => io.set('reset', { reset: 'yes' })],
  ])('is cleared by %s', async (_, write) => {
    const first = await pin4()
    await device.advance(HALF_PERIOD_MS)
    await write()
    expect(await pin4()).not.toBe(first)
  })

  it('is not cleared by a refused request, nor by a write to another slot', async () => {
    await io.read('input/values')
    expect((await io.post('input/mode', { pin: 7, mode: 'digital' })).status).toBe(422)
    expect((await io.post('input/mode', undefined)).status).toBe(400)
    await device.module('io', 3).set('input/mode', { pin: 1, mode: 'digital' })
    await io.read('input/values')
    expect(reads()).toBe(1)
  })

  it('needs two bus transactions for 100 concurrent readers, half of them with no-cache', async () => {
    const readers = Array.from({ length: 100 }, (_, index) => io.get('input/values', index % 2 === 0 ? FRESH : {}))
    const answers = await Promise.all(readers)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(reads()).toBeLessThanOrEqual(2)
  })
})
