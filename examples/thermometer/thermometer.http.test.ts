import { createBench } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { failuresOf, runText } from '../../packages/scenario/src/run/running.testkit.ts'
import { describeDevice } from '../../tests/device/device.testkit.ts'

/** The driver fetches a notification within this time. */
const FETCHED_MS = 50
const nothing = { high_temperature_alert: false, self_test_alert: false }

describeDevice('a thermometer in slot 6', (device) => {
  const thermometer = device.module('thermometer', 6)
  const slot = () => createBench(device.chassis).slot(6)

  it('GET temperatures returns the probe temperatures, at most a second old', async () => {
    expect(await thermometer.read('temperatures')).toEqual({ celsius: [21.5, 21.5, 21.5, 21.5] })
    slot().set({ probe1: -40.3, probe4: 99.9 })
    expect(await thermometer.read('temperatures')).toEqual({ celsius: [21.5, 21.5, 21.5, 21.5] })
    await device.advance(1000)
    expect(await thermometer.read('temperatures')).toEqual({ celsius: [-40.3, 21.5, 21.5, 99.9] })
  })

  it('POST limit refuses a limit below the present temperature', async () => {
    await thermometer.set('limit/2', { celsius: 21.5 })
    expect(await thermometer.read('limit/2')).toEqual({ celsius: 21.5 })
    expect(await thermometer.post('limit/2', { celsius: 20 })).toMatchObject({
      status: 400,
      body: { message: 'channel 2 is warmer than 20 °C already: choose a higher limit' },
    })
    expect(await thermometer.post('limit/2', { celsius: 126 })).toMatchObject({ status: 422 })
    expect(await thermometer.get('limit/5')).toMatchObject({ status: 404 })
  })

  it('GET notification returns an alert once, on its channel only', async () => {
    await thermometer.set('limit/2', { celsius: 60.5 })
    slot().set({ probe2: 80 })
    await device.advance(FETCHED_MS)
    expect(await thermometer.read('notification/1')).toEqual(nothing)
    expect(await thermometer.read('notification/2')).toEqual({ ...nothing, high_temperature_alert: true })
    expect(await thermometer.read('notification/2')).toEqual(nothing)
    expect(slot().observe()).toEqual({ lamp: 'red' })
  })

  it('the test button raises an alert on every channel', async () => {
    slot().press('test_button')
    await device.advance(FETCHED_MS)
    for (const channel of [1, 2, 3, 4]) {
      expect(await thermometer.read(`notification/${channel}`)).toEqual({ ...nothing, self_test_alert: true })
    }
  })
})

describe('a scenario with a thermometer', () => {
  const scenario = `
steps:
  - request: { post: thermometer/6/limit/3, body: { celsius: 50 } }
  - set: { slot: 6, probe3: 51 °C }
  - expect: { notification: 6/3, high_temperature_alert: true, self_test_alert: false, within: 1s }
  - expect: { get: thermometer/6/temperatures, body: { celsius: [51] } }`

  it('raises an alert after a probe setting changed', async () => expect(failuresOf(await runText(scenario))).toEqual([]))
})
