import { Publisher, plainPayload } from '@slotwire/bridge'
import type { NamedPin } from '@slotwire/contract'
import { ManualClock, SystemClock, seededRandom, silentLog } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { createTwin, type Twin, type TwinOptions } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import * as contracts from '@slotwire/modules/contracts'
import * as controls from '@slotwire/modules/controls'
import * as readings from '@slotwire/modules/readings'
import { source } from '@slotwire/twin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MemoryBroker } from '../../packages/bridge/src/memory-broker.testkit.ts'
import { moduleAt, until, useTwins } from '../../packages/device/src/twin/twin.testkit.ts'
import { connected } from './client.testkit.ts'

const PUMP: NamedPin = {
  slot: 3,
  pin: 1,
  name: 'Pump pressure',
  unit: 'bar',
  from: 'voltage',
  scale: [
    [1000, 0],
    [5000, 10],
  ],
}
const LOOP: NamedPin = { ...PUMP, slot: 5, pin: 2, name: 'loop', from: 'current' }
/** Slot 1 has no pins. */
const PINS = [PUMP, LOOP, { slot: 3, pin: 6, name: 'Lamp' }, { slot: 1, pin: 1, name: 'nothing' }]
const twinOf = useTwins()

/** A twin whose time stands still, with 3 V at the pump's pin: 5 bar. */
async function pumpTwin(options: TwinOptions = {}): Promise<Twin> {
  const twin = await createTwin({ pins: () => PINS, ...options, clock: new ManualClock() })
  onTestFinished(() => twin.close())
  await twin.start()
  twin.bench.pin(3, 1).connect(source(3))
  return twin
}

describe('names of pins', () => {
  it.each([
    ['a token for io', (path: string) => path.startsWith('/api/io/'), ['Pump pressure', 'Lamp', 'loop']],
    ['a token for the power service only', (path: string) => path.startsWith('/api/power/'), []],
  ])('are in the state for %s', async (_, sees, expected) => {
    const { service } = await pumpTwin()
    const caller = { door: 'network', address: '192.0.2.7', readOnly: true, sees } as const
    const { address } = await listen(service, { host: '127.0.0.1', port: 0 }, { checkAccess: () => ({ caller }) })
    const answer = await fetch(`http://127.0.0.1:${address.port}/slotwire/state`)
    const { modules } = (await answer.json()) as { modules: readonly { pins?: readonly NamedPin[] }[] }
    expect(modules.flatMap(({ pins = [] }) => pins.map(({ name }) => name))).toEqual(expected)
  })

  it('change no byte of an answer of the specification', async () => {
    const answersOf = async (options: TwinOptions): Promise<readonly unknown[]> => {
      const { service } = await pumpTwin(options)
      const paths = allServices.flatMap(({ contract: { service: name, defaultSlots, endpoints } }) =>
        Object.values({ ...endpoints, descriptor: { path: '/descriptor', method: 'GET' } })
          .filter(({ method }) => method === 'GET')
          .map(({ path }) => `/api/${name}/1.0/${defaultSlots[0]}${path.replace('{pin}', '1')}`),
      )
      const writes = [
        { method: 'POST', url: '/api/io/1.0/3/input/mode', payload: { pin: 1, mode: 'digital' } },
        { method: 'POST', url: '/api/io/1.0/3/output/state', payload: { pin: 1, state: 'high' } },
      ] as const
      const all = [...paths, '/api/io/', '/api/io/1.0/', ...writes]
      const answers = await Promise.all(all.map((request) => service.inject(request)))
      return answers.map(({ statusCode, headers, payload }) => [statusCode, payload, { ...headers, date: '' }])
    }
    const plain = await answersOf({ pins: () => [] })
    expect(plain.length).toBeGreaterThan(20)
    expect(await answersOf({})).toEqual(plain)
  })

  it('are beside the pin in a record of an alert', async () => {
    const twin = await twinOf({ pins: () => PINS })
    await moduleAt(twin, 'io', 3).set('input/analog/threshold', { pin: 1, threshold_millivolt: 1500, trigger: 'rising' })
    twin.bench.pin(3, 1).connect(source(3))
    await twin.clock.advance(100)
    const { body } = await twin.request({ method: 'GET', path: '/slotwire/history?kinds=alert' })
    const { records } = body as { records: readonly object[] }
    expect(records).toMatchObject([{ pin: 1, name: 'Pump pressure', alerts: ['custom_voltage_alert'] }])
    expect(Object.keys(records[0] ?? {}).slice(-3)).toEqual(['pin', 'name', 'alerts'])
  })

  it('are in an info metric, so that a rename changes no series of a value', async () => {
    let pins: readonly NamedPin[] = PINS
    const twin = await twinOf({ pins: () => pins })
    twin.bench.pin(3, 1).connect(source(3))
    const scrape = async (): Promise<readonly string[]> => {
      const { body } = await twin.service.inject('/slotwire/metrics')
      return body.split('\n').filter((line) => /^slotwire_(io|power|bmc)_pin/.test(line))
    }
    await scrape()
    await twin.clock.advance(500)
    const before = await scrape()
    expect(before.filter((line) => /_info|_quantity/.test(line))).toEqual([
      'slotwire_io_pin_info{slot="3",pin="1",name="Pump pressure",unit="bar"} 1',
      'slotwire_io_pin_info{slot="3",pin="6",name="Lamp",unit=""} 1',
      'slotwire_io_pin_info{slot="5",pin="2",name="loop",unit="bar"} 1',
      'slotwire_io_pin_quantity{slot="3",pin="1"} 5',
      'slotwire_io_pin_quantity{slot="5",pin="2"} -2.5',
    ])
    pins = PINS.map((pin) => ({ ...pin, name: `new ${pin.name}` }))
    const isValue = (line: string): boolean => !line.includes('_info')
    const after = await scrape()
    expect(after.filter(isValue)).toEqual(before.filter(isValue))
    expect(after[0]).toContain('name="new Pump pressure"')
  })

  it('find a pin for the client, with its quantity', async () => {
    const device = await connected(await pumpTwin())
    const pump = await device.pin('PUMP pressure')
    expect([pump.slot, pump.number]).toEqual([3, 1])
    expect(await pump.quantity()).toEqual({ value: 5, unit: 'bar' })
    expect(await device.io(5).pin(2).quantity()).toEqual({ value: -2.5, unit: 'bar' })
    await expect(device.pin('pump')).rejects.toMatchObject({
      kind: 'not-found',
      message: 'no pin is named pump: there are Pump pressure, Lamp, loop',
    })
    await expect(device.io(3).pin(6).quantity()).rejects.toThrow('pin 3/6 has no scale for voltage_millivolt')
  })
})

it('a bridge publishes names and quantities, and new ones after a change without a new reading', async () => {
  let pins: readonly NamedPin[] = PINS
  const twin = await twinOf({ pins: () => pins })
  twin.bench.pin(3, 1).connect(source(3))
  const broker = new MemoryBroker()
  const types = { io: { contract: contracts.io, readings: readings.io, controls: controls.io } }
  const clock = new SystemClock()
  const id = 'a'.repeat(32)
  const homeAssistant = { prefix: 'homeassistant', style: 'components', version: '1' } as const
  const publisher = new Publisher({
    source: {
      url: 'http://one/',
      identify: async () => id,
      connect: async (options) => connected(twin, options),
    },
    types,
    watch: { everyMs: 1000, deadBand: 0, pauseMs: 0 },
    commands: 'off',
    payload: plainPayload({ homeAssistant, log: silentLog }),
    connectBroker: broker.connect,
    takeOver: false,
    host: 'one',
    clock,
    wallTime: () => 0,
    random: seededRandom(1),
    log: silentLog,
  })
  onTestFinished(() => publisher.close())
  const entity = (component: string, key: string): unknown =>
    JSON.parse(String(broker.retained.get(`homeassistant/${component}/slotwire_${id}/${key}/config`) ?? '{}'))
  const within = { timeout: 10_000 }
  await expect
    .poll(() => entity('sensor', 'io_3_pin_1_quantity'), within)
    .toMatchObject({ name: 'Pump pressure', unit_of_measurement: 'bar', state_topic: `slotwire/${id}/io/3/pin/1/quantity/state` })
  expect(entity('sensor', 'io_3_pin_1_volts')).toMatchObject({ name: 'Pump pressure voltage' })
  expect(entity('event', 'io_3_pin_6_alert')).toMatchObject({ name: 'Lamp alert' })
  expect(broker.retained.get(`slotwire/${id}/io/3/pin/1/quantity/state`)).toBe('5')
  expect(JSON.parse(String(broker.retained.get(`slotwire/${id}/about`)))).toMatchObject({
    modules: [{ slot: 3, pins: expect.arrayContaining([PUMP]) as unknown }, {}],
  })
  pins = [{ ...PUMP, name: 'Oil', unit: 'psi' }]
  await until(twin, moduleAt(twin, 'io', 3).set('input/mode', { pin: 4, mode: 'digital' }))
  await expect
    .poll(() => entity('sensor', 'io_3_pin_1_quantity'), within)
    .toMatchObject({ name: 'Oil', unit_of_measurement: 'psi' })
})
