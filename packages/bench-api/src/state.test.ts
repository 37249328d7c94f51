import { catalog } from '@slotwire/device/twin'
import { parseRig } from '@slotwire/scenario'
import { elementKinds, type Kind, snakeName } from '@slotwire/twin'
import { beforeEach, describe, expect, it } from 'vitest'
import { BenchDevice } from './bench-device.testkit.ts'

let device: BenchDevice
beforeEach(async () => {
  device = await BenchDevice.start()
})

const slotsOf = async (path = '/slots') => (await device.get(path))['slots'] as readonly { readonly pins: readonly object[] }[]

describe('GET /slotwire/bench/slots', () => {
  it('shows modules, actions, defects and observations', async () => {
    const slots = await slotsOf()
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

  it('shows what the pins measure, also after a change of the wiring', async () => {
    await device.post('connect', { pin: '3/2', to: { source: { volts: 5 } } })
    const slots = await slotsOf()
    expect(slots.map(({ pins }) => pins.length)).toEqual([0, 0, 0, 6, 0, 6, 0, 0])
    expect(slots[3]?.pins[1]).toEqual({ pin: 2, volts: 5, milliampere: -0.005 })
    expect((await slotsOf(''))[3]).toEqual(slots[3])
  })

  it('shows what the buzzer plays', async () => {
    await device.ask('POST', '/api/bmc/1.0/0/buzzer', { mode: 2, duration: 200 })
    await device.real.advance(1000)
    expect((await slotsOf())[0]).toMatchObject({ observations: { buzzer: { played: [{ sound: 1, start_ms: 0, end_ms: 200 }] } } })
  })
})

describe('GET /slotwire/bench/wiring', () => {
  it('shows the wiring of the default device', async () => {
    expect(await device.get('/wiring')).toMatchObject({
      connections: [
        { name: 'c1', kind: 'wire', pins: ['5/1', '5/2'], settings: {} },
        { name: 'c2', kind: 'resistor', pins: ['5/3'], settings: { ohms: 10_000, volts: 3.3 } },
        { name: 'c3', kind: 'square_wave', settings: { frequency_hz: 100, low_volts: 0, high_volts: 5, duty: 0.5 } },
      ],
    })
  })
})

describe('GET /slotwire/bench/rig', () => {
  it.each(Object.values<Kind>(elementKinds).map(({ kind, fields }) => [kind, fields] as const))(
    'has a %s with its settings: the same again in another device',
    async (kind, fields) => {
      const given = Object.entries(fields).filter(
        ([, { default: value, examples }]) => value === undefined && examples !== undefined,
      )
      const settings = Object.fromEntries(given.map(([name, { examples }]) => [snakeName(name), examples?.[0]]))
      const ends = { relay: { contact: ['5/5', '5/6'] }, encoder: { other: '3/2' } }[kind] ?? {}
      await device.post('connect', { pin: '3/1', to: { [snakeName(kind)]: settings }, as: 'first', ...ends })
      await device.post('rail', { rail: '12v', load_milliampere: 250 })
      const rig = async () => String((await device.get('/rig'))['text'])
      const saved = await rig()
      device = await BenchDevice.start({ rig: parseRig(saved, { catalog }) })
      expect([await rig(), saved]).toEqual([saved, expect.stringContaining(`"as":"first"`)])
    },
  )
})
