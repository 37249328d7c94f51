import { SystemClock } from '@slotwire/core'
import { expect, it } from 'vitest'
import { Serving } from './serve-process.testkit.ts'

const serving = new Serving()
const clock = new SystemClock()
const IO = '/api/io/1.0/3'
const CONNECT = '/slotwire/bench/connect'
const WATCHDOG = '/api/bmc/1.0/0/watchdog'
const ROUNDS = 60
/** Median of other requests, with much room for a busy machine: a look at a circuit takes at most about 20 ms. */
const MEDIAN_MS = 150

it('four motors and two sources of 10 MHz noise on each pin leave turns for other requests, and the watchdog can be fed', async () => {
  const { get, post } = await serving.start('--hardware', 'twin')
  const set = async (path: string, body: object): Promise<void> => expect([path, await post(path, body)]).toEqual([path, 200])
  for (const pin of [1, 3, 5]) await set(`${IO}/input/analog/threshold`, { pin, trigger: 'rising', threshold_millivolt: 200 })
  for (const pin of [2, 4, 6]) {
    await set(`${IO}/input/mode`, { pin, mode: 'digital' })
    await set(`${IO}/input/digital/interrupt`, { pin, trigger: 'rising', debounce_time_milliseconds: 0 })
    await set(`${IO}/input/digital/counter`, { pin, state: 'enabled' })
  }
  for (const pin of [1, 2, 3, 4, 5, 6]) {
    for (let count = 0; count < 4; count++) await set(CONNECT, { pin: `3/${pin}`, to: { motor: { ohms: 100 } } })
    for (const seed of [1, 2])
      await set(CONNECT, {
        pin: `3/${pin}`,
        to: { noise: { frequency_hz: 10_000_000, low_volts: -5, high_volts: 9, ohms: 100, seed } },
      })
  }
  await set(WATCHDOG, { timeout: 1000 })
  const waits: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    expect(await get(`${WATCHDOG}/alive`)).toEqual({ status: 'success' })
    const from = clock.now()
    await get('/slotwire/livez')
    waits.push(clock.now() - from)
    expect(await get(`${IO}/input/values`)).toHaveProperty('pins')
  }
  expect(waits.sort((a, b) => a - b)[ROUNDS / 2]).toBeLessThan(MEDIAN_MS)
  // If it had not been fed, it would have restarted the device and be off.
  expect(await get(WATCHDOG)).toMatchObject({ timeout: 1000 })
})
