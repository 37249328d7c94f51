import { alternatives } from '@slotwire/core'
import * as firmwares from '@slotwire/modules/firmwares'
import type { FirmwareDefinition } from '@slotwire/twin'
import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

/** Longer than the detection of a module and than a restart. */
const SETTLED_MS = 5000
const MODULE_TYPES = alternatives(Object.keys(firmwares))
const ACTIONS = alternatives(Object.values<FirmwareDefinition>(firmwares).flatMap(({ actions = [] }) => actions))
const DEFECTS = alternatives(Object.values<FirmwareDefinition>(firmwares).flatMap(({ defects = [] }) => defects))

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const slotsOf = async (service: string) => {
  const { devices } = await device.read(`${service}/1.0/`)
  return (devices as readonly { slot_number: number }[]).map(({ slot_number }) => slot_number)
}

describe('the slots', () => {
  it('show their modules, actions, defects and observations', async () => {
    const slots = (await device.get('/slots'))['slots'] as readonly object[]
    expect(slots).toHaveLength(8)
    expect(slots).toMatchObject([
      {
        slot: 0,
        module: 'bmc',
        actions: ['shutdown_switch'],
        defects: ['usb_hub_missing'],
        observations: { buzzer: { played: [] } },
      },
      { slot: 1, module: 'power', actions: [], defects: ['fan_blocked'] },
      { slot: 2, actions: [], defects: [], observations: {} },
      { slot: 3, module: 'io', mode: 'run' },
      { slot: 4 },
      { slot: 5, module: 'io' },
      { slot: 6 },
      { slot: 7 },
    ])
    expect(slots[2]).not.toHaveProperty('module')
  })

  it('show what their pins measure, also after a change of the wiring', async () => {
    await device.post('connect', { pin: '3/2', to: { source: { volts: 5 } } })
    const slots = (await device.get('/slots'))['slots'] as readonly { pins: object[] }[]
    expect(slots.map(({ pins }) => pins.length)).toEqual([0, 0, 0, 6, 0, 6, 0, 0])
    expect(slots[3]?.pins[1]).toEqual({ pin: 2, volts: 5, milliampere: -0.005 })
    expect(((await device.get(''))['slots'] as readonly { pins: object[] }[])[3]).toEqual(slots[3])
  })

  it('can be unplugged and plugged', async () => {
    expect(await device.post('unplug', { slot: 5 })).toMatchObject({ status: 200 })
    expect(await slotsOf('io')).toEqual([3])
    expect(await device.post('plug', { slot: 7, module: 'io' })).toMatchObject({ status: 200 })
    const slots = (await device.get('/slots'))['slots'] as readonly object[]
    expect(slots[7]).toMatchObject({ module: 'io', mode: 'suspend' })
    await device.real.advance(SETTLED_MS)
    expect(await slotsOf('io')).toEqual([3, 7])
  })

  it('show what the buzzer plays', async () => {
    await device.ask('POST', '/api/bmc/1.0/0/buzzer', { mode: 2, duration: 200 })
    await device.real.advance(1000)
    const [bmc] = (await device.get('/slots'))['slots'] as readonly { observations: { buzzer: { played: object[] } } }[]
    expect(Object.keys(bmc?.observations.buzzer.played[0] ?? {})).toEqual(['sound', 'start_ms', 'end_ms'])
  })

  it.each([
    ['unplug', { slot: 2 }, 400, 'slot 2 is empty: plug a module first'],
    ['plug', { slot: 3, module: 'io' }, 400, 'slot 3 holds io already: unplug it first'],
    ['plug', { slot: 2, module: 'IO' }, 422, `module is not allowed: ${MODULE_TYPES}, not "IO"; did you mean io?`],
    ['plug', { slot: 2, module: 'toString' }, 422, `module is not allowed: ${MODULE_TYPES}, not "toString"`],
    ['press', { slot: 2, action: 'shutdown_switch' }, 400, 'slot 2 is empty: plug a module first'],
    ['press', { slot: 0, action: 'reset' }, 422, `action is not allowed: ${ACTIONS}, not "reset"`],
    ['press', { slot: 3, action: 'shutdown_switch' }, 422, 'action is not allowed: the module in this slot has none'],
    ['break', { slot: 1, defect: 'fan' }, 422, `defect is not allowed: ${DEFECTS}, not "fan"; did you mean fan_blocked?`],
    ['break', { slot: 1, defect: 'fan_blocked', for_ms: 0 }, 422, 'for_ms is out of range: 1…604800000 ms, not 0'],
    ['factory_reset', { slot: 2 }, 400, 'slot 2 is empty: plug a module first'],
    ['unplug', { slot: 9 }, 422, 'slot is out of range: 0…7, not 9'],
  ])('refuse %s with %j: %i, %s', async (path, body, status, message) => {
    expect(await device.post(path, body)).toMatchObject({ status, message })
  })
})

describe('a module', () => {
  it('is reset to factory values', async () => {
    await device.ask('POST', '/api/bmc/1.0/0/watchdog/sw_shutdown_timeout', { timeout: 90_000 })
    expect(await device.read('bmc/1.0/0/watchdog')).toMatchObject({ shutdown_timeout: 90_000 })
    expect(await device.post('factory_reset', { slot: 0 })).toMatchObject({ status: 200 })
    expect(await device.read('bmc/1.0/0/watchdog')).toMatchObject({ shutdown_timeout: 60_000 })
  })

  it('fails its factory reset while it hangs', async () => {
    await device.post('fault', { slot: 3, hang: {} })
    const reset = device.post('factory_reset', { slot: 3 })
    await device.real.advance(10_000)
    expect(await reset).toMatchObject({
      status: 500,
      message: expect.stringMatching(/^the module in slot 3 failed its factory reset: ./) as string,
    })
  })

  it('is not up right after plugging', async () => {
    await device.post('plug', { slot: 7, module: 'io' })
    expect(await device.post('factory_reset', { slot: 7 })).toMatchObject({
      status: 400,
      message: 'the module in slot 7 is not up: try again when the API lists it',
    })
  })

  it('shuts the device down after a press of its shutdown switch, and comes back', async () => {
    const before = (await device.read('io/1.0/'))['driver_session']
    const session = async () =>
      ((await device.read('io/1.0/'))['devices'] as { device_session: string }[] | undefined)?.[0]?.device_session
    const first = await session()
    expect(await device.post('press', { slot: 0, action: 'shutdown_switch' })).toMatchObject({ status: 200 })
    await device.real.advance(60_100)
    expect((await device.ask('GET', '/api/io/1.0/')).status).toBe(502)
    expect((await device.ask('GET', '/slotwire/bench/slots')).status).toBe(200)
    await device.real.advance(SETTLED_MS)
    expect((await device.read('io/1.0/'))['driver_session']).not.toBe(before)
    expect(await session()).not.toBe(first)
  })

  it('has its fan blocked, once', async () => {
    const { body } = await device.post('break', { slot: 1, defect: 'fan_blocked' })
    expect(await device.get('/faults')).toMatchObject({ faults: [{ name: body['name'], slot: 1, kind: 'fan_blocked' }] })
    expect(await device.post('break', { slot: 1, defect: 'fan_blocked' })).toMatchObject({
      status: 400,
      message: 'fan_blocked of the module in slot 1 is already active: clear it first',
    })
  })
})
