import { type Device, HttpClient, type MakeSource } from '@slotwire/client'
import { Listeners, ManualClock, nextTurn, seededRandom, silentLog } from '@slotwire/core'
import * as contracts from '@slotwire/modules/contracts'
import * as readings from '@slotwire/modules/readings'
import { afterEach, expect, it } from 'vitest'
import { MACHINE_ID } from './bridged-device.testkit.ts'
import { MemoryBroker } from './memory-broker.testkit.ts'
import { plainPayload } from './plain-output.ts'
import { Publisher, type PublisherOptions } from './publisher.ts'
import { deliveredTopic, statusTopic } from './topics.ts'
import type { DeviceSource } from './watched-device.ts'

const TURNS = 40
const types = { io: { contract: contracts.io, readings: readings.io, controls: [] } }
const ended: (() => Promise<void>)[] = []

/** A device without modules, whose event stream says what the test writes. */
class FakeDevice implements DeviceSource {
  readonly positions: (string | undefined)[] = []
  isOn = true
  isGranted = true
  /** The modules of its state. */
  stated: readonly object[] = []
  refreshes = 0
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(
    private readonly clock: ManualClock,
    readonly url: string,
  ) {}

  async identify(): Promise<string> {
    if (!this.isOn) throw new Error('no answer')
    return MACHINE_ID
  }

  async connect({ source }: { readonly source: MakeSource }): Promise<Device> {
    if (!this.isGranted) throw new Error('the token is wrong')
    const transport: ConstructorParameters<typeof HttpClient>[0]['transport'] = async (_path, { headers, signal }) => {
      this.positions.push(headers['last-event-id'])
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#controller = controller
          signal.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
      return new Response(body)
    }
    const [random, deadlineMs, token] = [seededRandom(1), 1000, undefined]
    const http = new HttpClient({
      clock: this.clock,
      random,
      deadlineMs,
      token,
      onRetry: undefined,
      streams: true,
      transport,
    })
    const changes = new Listeners<{ isConnected: boolean; error?: unknown }>()
    source(http, (isConnected, error) => changes.emit({ isConnected, error }))
    const sessions = {
      refresh: async () => {
        this.refreshes++
      },
    }
    const fake = { extensions: true, modules: [], context: { live: { changes }, sessions, http } }
    return { ...fake, state: async () => ({ modules: this.stated }), close: async () => http.close() } as unknown as Device
  }

  /** Writes messages of the event stream. */
  say(...messages: readonly object[]): void {
    const text = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
    this.#controller?.enqueue(new TextEncoder().encode(text))
  }
}

/** Publishes one device, by default from the host `one`. */
function world(options: { readonly broker?: MemoryBroker; readonly clock?: ManualClock } & Partial<PublisherOptions> = {}) {
  const { broker = new MemoryBroker(), clock = new ManualClock(), ...more } = options
  const warnings: string[] = []
  const log = { ...silentLog, warn: (fields: object, text: string) => warnings.push(`${text}: ${JSON.stringify(fields)}`) }
  const device = new FakeDevice(clock, `http://${more.host ?? 'one'}:8080/`)
  const publisher = new Publisher({
    source: device,
    types,
    watch: { everyMs: 1000, deadBand: 0, pauseMs: 0 },
    commands: 'off',
    payload: plainPayload({ homeAssistant: undefined, log }),
    connectBroker: broker.connect,
    takeOver: false,
    host: 'one',
    clock,
    wallTime: () => 0,
    random: seededRandom(more.host === undefined ? 1 : 2),
    log,
    ...more,
  })
  ended.push(() => publisher.close())
  const status = (): unknown => JSON.parse(String(broker.retained.get(statusTopic(MACHINE_ID)) ?? '{}'))
  return { broker, clock, device, publisher, warnings, status }
}

afterEach(() => Promise.all(ended.splice(0).map((end) => end())))

/** Lets time pass in small steps, with everything that then happens. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let step = 0; step < 10; step++) {
    await clock.advance(ms / 10)
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
  }
}

const alert = (sequence: number, more: object = {}): object => ({
  kind: 'alert',
  id: `3-${sequence}`,
  slot: 5,
  pin: 1,
  service: 'io',
  ...more,
})

it('has a connection with the machine id, and a will that says offline', async () => {
  const { broker, clock, publisher, status } = world()
  await pass(clock, 3000)
  expect(publisher.state).toBe('online')
  expect(status()).toMatchObject({ state: 'online', url: 'http://one:8080/', host: 'one', commands: 'off' })
  expect(broker.connections.filter(({ isLost }) => !isLost).map(({ clientId }) => clientId)).toEqual([MACHINE_ID])
  await publisher.close()
  expect(status()).toMatchObject({ state: 'offline', host: 'one' })
})

it('says nothing of a device that never answered, not even by its will', async () => {
  const { broker, clock, device, publisher } = world()
  device.isGranted = false
  await pass(clock, 20_000)
  await publisher.close()
  expect([broker.connections.length > 2, broker.at('/status')]).toEqual([true, []])
})

it('stays off a device that another publisher has, and names both; takes it with takeOver; the other does not fight', async () => {
  const first = world()
  const { broker, clock, status } = first
  await pass(clock, 3000)
  const second = world({ broker, clock, host: 'two' })
  await pass(clock, 20_000)
  expect([first.publisher.state, second.publisher.state]).toEqual(['online', 'waiting'])
  expect(second.warnings.join()).toMatch(
    /one publishes the device .* from http:\/\/one:8080\/: here it is http:\/\/two:8080\/ on two/,
  )
  await second.publisher.close()
  const third = world({ broker, clock, host: 'three', takeOver: true })
  await pass(clock, 20_000)
  expect([first.publisher.state, third.publisher.state]).toEqual(['displaced', 'online'])
  expect(status()).toMatchObject({ state: 'online', host: 'three' })
  expect(first.warnings.join()).toContain('this publisher stops')
})

it('takes a device whose publisher died, although the broker still retains that it is online', async () => {
  const broker = new MemoryBroker()
  broker.retained.set(
    statusTopic(MACHINE_ID),
    JSON.stringify({ state: 'online', url: 'x', host: 'gone', instance: 'X', commands: 'off' }),
  )
  const { clock, publisher } = world({ broker })
  await pass(clock, 3000)
  expect(publisher.state).toBe('online')
})

it('continues after the position that the broker retains, and publishes it again to a broker that lost it', async () => {
  const broker = new MemoryBroker()
  broker.retained.set(deliveredTopic(MACHINE_ID), '3-7')
  const { clock, device } = world({ broker })
  await pass(clock, 3000)
  expect(device.positions.at(-1)).toBe('3-7')
  device.say(alert(8), alert(9))
  await pass(clock, 2000)
  expect(broker.at('/alert')).toHaveLength(2)
  broker.retained.clear()
  for (const connection of broker.connections) connection.lose('killed')
  await pass(clock, 8000)
  expect([broker.retained.get(deliveredTopic(MACHINE_ID)), device.positions.at(-1)]).toEqual(['3-9', '3-9'])
})

it('sends an alert that came while the broker was away', async () => {
  const { broker, clock, device } = world()
  await pass(clock, 3000)
  device.say({ kind: 'hello', last: '3-0' }, alert(1))
  await pass(clock, 2000)
  const connect = broker.connections.length
  broker.refusal = new Error('quota')
  device.say(alert(2))
  await pass(clock, 2000)
  for (const connection of broker.connections) connection.lose('killed')
  broker.refusal = undefined
  await pass(clock, 8000)
  expect(broker.connections.length).toBeGreaterThan(connect)
  expect(device.positions.at(-1)).toBe('3-1')
})

it('is online within 10 s after a broker that was away for an hour', async () => {
  const broker = new MemoryBroker()
  let isAway = true
  const connectBroker: MemoryBroker['connect'] = async (options) => {
    if (isAway) throw new Error('nothing answers at this port')
    return broker.connect(options)
  }
  const { clock, publisher, warnings } = world({ broker, connectBroker })
  for (let minute = 0; minute < 60; minute++) await pass(clock, 60_000)
  expect([publisher.state, warnings.length]).toEqual(['waiting', 1])
  isAway = false
  await pass(clock, 10_000)
  expect(publisher.state).toBe('online')
})

it('publishes nothing that the contract does not allow, and says so once', async () => {
  const { broker, clock, device, warnings } = world()
  await pass(clock, 3000)
  const wrong = [
    { pin: '1/#' },
    { slot: 1.5 },
    { kind: 'a/#' },
    { service: 'constructor' },
    { id: 7 },
    { note: 'x'.repeat(20_000) },
  ]
  device.say({ kind: 'hello', last: '3-0' }, ...wrong.map((more) => alert(1, more)), alert(2))
  await pass(clock, 2000)
  expect(broker.published.filter(({ topic }) => /[+#]|undefined|NaN/.test(topic))).toEqual([])
  expect(broker.at('/alert')).toHaveLength(1)
  expect(warnings.filter((text) => text.includes('contract'))).toHaveLength(1)
})

it.each([null, 'x', [null], [{ slot: 5, pin: 1, name: 'a'.repeat(65) }], [{ slot: 5, pin: 1, name: 'a', unit: 1 }]])(
  'publishes no names of pins that the contract does not allow: %j',
  async (pins) => {
    const { clock, device, warnings } = world()
    device.stated = [{ service: 'io', slot: 5, state: {}, pins }]
    await pass(clock, 3000)
    expect(warnings.filter((text) => text.includes('contract'))).toHaveLength(1)
  },
)

it('looks at the modules once for many records that name them', async () => {
  const { clock, device } = world()
  await pass(clock, 3000)
  const before = device.refreshes
  device.say(
    { kind: 'hello', last: '3-0' },
    ...Array.from({ length: 900 }, (_, index) => ({ kind: 'module', id: `3-${index + 1}`, slot: 5 })),
  )
  await pass(clock, 500)
  expect(device.refreshes - before).toBeLessThan(3)
})
