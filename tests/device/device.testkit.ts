import { ManualClock, type Random, seededRandom, silentLog } from '@slotwire/core'
import { allServices, createDeviceService, type DeviceService, type DeviceServiceOptions } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import type { Service } from '@slotwire/service'
import { type BusMode, type Chassis, VolatileMemory } from '@slotwire/twin'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { RecordedBackplane } from './recorded-backplane.testkit.ts'
import { type Connected, type World, worlds } from './worlds.testkit.ts'

export interface DeviceOptions
  extends Pick<DeviceServiceOptions, 'page' | 'pins' | 'powerMode' | 'queueLimit' | 'services' | 'limits' | 'log' | 'onWrite'> {
  readonly bus?: BusMode
}

/** An answer. `body` is the parsed JSON, undefined without a body. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly text: string
}

type Headers = Readonly<Record<string, string>>
type Method = 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS'

const FIRST_ERROR_STATUS = 400
/** Longest wait of a close. */
const CLOSING_MS = 10_000
/** Number of items in one byte of a notification. */
const BITS = 8

/** The default device, running: virtual modules, driver and all services, on a manual clock. */
export class Device {
  readonly clock = new ManualClock({ settled: async () => this.#connected?.settled?.() })
  readonly memories = new Map<number, VolatileMemory>()
  readonly chassis: Chassis
  #connected: Connected | undefined
  #bus: RecordedBackplane | undefined
  #joined: DeviceService | undefined

  constructor(
    private readonly options: DeviceOptions,
    private readonly world: World,
    private readonly random: Random = seededRandom(7),
  ) {
    const bus = options.bus === undefined ? {} : { bus: options.bus }
    this.chassis = defaultChassis({ clock: this.clock, random, memory: (slot) => this.memory(slot), ...bus })
  }

  get service(): Service {
    return must(this.#joined).service
  }

  get journal(): DeviceService['journal'] {
    return must(this.#joined).journal
  }

  /** The traffic between the driver and the modules. */
  get bus(): RecordedBackplane {
    return must(this.#bus)
  }

  /** The pending notifications of each driven module, without removing them: one line for each item. */
  pending(): readonly string[] {
    const { rack } = must(this.#joined)
    const slots = allServices.flatMap(({ vendorProductId }) => rack.usable(vendorProductId))
    return slots.flatMap(({ slot, notifications }) =>
      Array.from({ length: BITS }, (_, index) => index + 1)
        .filter((item) => notifications.has(item))
        .map((item) => `slot ${slot}, item ${item}: ${notifications.peek(item).join(' ')}`),
    )
  }

  /** Non-volatile memory of the module in a slot. */
  memory(slot: number): VolatileMemory {
    const memory = this.memories.get(slot) ?? new VolatileMemory()
    this.memories.set(slot, memory)
    return memory
  }

  /** Switches the device on and starts driver and services. */
  async start(): Promise<void> {
    this.#connected = await this.world.connect(this.chassis, this.clock)
    this.#bus = new RecordedBackplane(this.#connected.backplane)
    await this.until(this.chassis.powerOn())
    await this.#connected.noticed?.()
    await this.startService()
  }

  /** Starts driver and services again on the same device. */
  async startService(): Promise<void> {
    const { bus: _bus, ...options } = this.options
    this.#joined = await createDeviceService({
      log: silentLog,
      ...options,
      backplane: this.bus.backplane,
      clock: this.clock,
      random: this.random,
    })
    await this.until(this.#joined.start())
  }

  async stopService(): Promise<void> {
    const closing = this.#joined?.close()
    this.#joined = undefined
    await this.clock.advance(CLOSING_MS)
    await closing
  }

  /** Closes everything; no timer may remain. */
  async close(): Promise<void> {
    await this.stopService()
    await this.#connected?.close()
    this.chassis.powerOff()
    await this.clock.advance(CLOSING_MS)
    expect(this.clock.pending).toBe(0)
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /** Advances the time until the work is done, at most `limitMs`. */
  async until<Result>(work: Promise<Result>, limitMs = CLOSING_MS): Promise<Result> {
    let over = false
    const ended = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        over = true
      })
    for (let ms = 0; ms < limitMs && !over; ms += 10) await this.clock.advance(10)
    if (over) await ended
    return work
  }

  async send(method: Method, url: string, payload?: string | Buffer, headers: Headers = {}): Promise<Answer> {
    const noticed = this.#connected?.noticed?.()
    if (noticed !== undefined) await noticed
    const response = await this.service.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    if (response.statusCode >= FIRST_ERROR_STATUS) expect(response.headers['slotwire-error'], url).toMatch(/^[a-z-]+$/)
    const body = response.body === '' ? undefined : (JSON.parse(response.body) as Record<string, unknown>)
    return { status: response.statusCode, headers: response.headers, body, text: response.body }
  }

  get(url: string, headers: Headers = {}): Promise<Answer> {
    return this.send('GET', url, undefined, headers)
  }

  post(url: string, body: unknown, headers: Headers = { 'content-type': 'application/json' }): Promise<Answer> {
    return this.send('POST', url, JSON.stringify(body), headers)
  }

  /** Opens a door on 127.0.0.1 and resolves with its port. It closes with the device. */
  async listen(): Promise<number> {
    return (await listen(this.service, { host: '127.0.0.1', port: 0 })).address.port
  }

  /** A module's endpoints. Valid during the whole life of the device. */
  module(service: string, slot: number): ModuleUnderTest {
    return new ModuleUnderTest(() => this, service, slot)
  }
}

/** The endpoints of one module, by their paths in the specification. */
export class ModuleUnderTest {
  readonly path: string

  constructor(
    private readonly device: () => Device,
    private readonly service: string,
    private readonly slot: number,
  ) {
    this.path = `/api/${service}/1.0/${slot}`
  }

  get(path: string, headers: Headers = {}): Promise<Answer> {
    return this.device().get(`${this.path}/${path}`, headers)
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.device().post(`${this.path}/${path}`, body)
  }

  /** The body of a GET that must succeed. */
  async read(path: string, headers: Headers = {}): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.get(path, headers)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body ?? {}
  }

  /** Sends a POST that must succeed. */
  async set(path: string, body: unknown): Promise<void> {
    const { status, body: answer } = await this.post(path, body)
    expect({ status, body: answer }).toMatchObject({ status: 200, body: { status: 'success' } })
  }

  /** Undefined while the module is not listed. */
  async session(): Promise<string | undefined> {
    const { body } = await this.device().get(`/api/${this.service}/1.0/`)
    const devices = (body?.['devices'] ?? []) as { slot_number: number; device_session: string }[]
    return devices.find(({ slot_number }) => slot_number === this.slot)?.device_session
  }
}

/** A block of tests in every world, each with a new device. Use the device only inside tests. */
export function describeDevice(title: string, tests: (device: Device) => void, options: DeviceOptions = {}): void {
  describe.each(worlds.map((world) => [world.name, world] as const))(`${title} (%s)`, (_name, world) => {
    let running: Device | undefined
    beforeEach(async () => {
      running = new Device(options, world)
      await running.start()
    })
    afterEach(async () => {
      await running?.close()
      running = undefined
    })
    tests(
      new Proxy({} as Device, {
        get: (_, name) => {
          if (name === 'module') return (service: string, slot: number) => new ModuleUnderTest(() => must(running), service, slot)
          const device = must(running)
          const value: unknown = Reflect.get(device, name, device)
          return typeof value === 'function' ? (value as (...values: unknown[]) => unknown).bind(device) : value
        },
      }),
    )
  })
}

function must<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the device is not running: it runs during tests only')
  return part
}
