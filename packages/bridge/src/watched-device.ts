import { type Device, Feed, isGap, type MakeSource, type Message } from '@slotwire/client'
import { recordKinds } from '@slotwire/contract'
import { type Clock, type Log, messageOf, type Random, type Timer } from '@slotwire/core'
import { Delivery } from './delivery.ts'
import {
  type AlertSource,
  alertSourcesOf,
  controlsOf,
  type Metric,
  type MetricValue,
  type ModuleType,
  readingsOf,
  type Value,
} from './metric.ts'
import { keyOf, MetricTable } from './metric-table.ts'
import type { BridgedDevice, DeviceRecord, ModuleAbout } from './output.ts'
import { type FilterOptions, ValueFilter } from './value-filter.ts'

/** How a bridge reaches one device. */
export interface DeviceSource {
  readonly url: string
  /** Reads the machine id. */
  identify(signal: AbortSignal): Promise<string>
  connect(options: { readonly source: MakeSource; readonly signal: AbortSignal }): Promise<Device>
}

export interface WatchOptions extends FilterOptions {
  /** How often the device looks at its pins, in milliseconds. */
  readonly everyMs: number
}

/** What happens on a device. */
export interface DeviceListener {
  /** Its list of metrics or modules, or its availability, changed. */
  onDevice(): void
  onValues(changes: readonly MetricValue[]): void
  /** Resolves when the broker has the record. */
  onRecord(record: DeviceRecord): Promise<void>
  /** Keeps the id of the last record that the broker has. */
  onPosition(position: string): Promise<void>
  /** Another device answers at this address now. */
  onOther(): void
}

export interface WatchedDeviceOptions {
  readonly id: string
  readonly source: DeviceSource
  /** By service. */
  readonly types: Readonly<Record<string, ModuleType>>
  readonly watch: WatchOptions
  readonly listener: DeviceListener
  /** The id of the last record that the broker has; empty: begin with the present. */
  readonly position: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Kinds of records that are delivered: all but writes, which may be many. */
const KINDS = recordKinds.filter((kind) => kind !== 'write')
/** Pins change fast; other readings are looked at so many times less often. */
const SLOW_FACTOR = 10
/** The state of the modules is read again at least so often, so soon after a change of a pin, and after a command, in milliseconds. */
const STATE_EVERY_MS = 30_000
const STATE_AFTER_CHANGE_MS = 2000
const STATE_AFTER_COMMAND_MS = 50
/** What appears within so many milliseconds is announced together. */
const ANNOUNCE_MS = 100
/** Pauses between two attempts to reach a device, in milliseconds; half of it is by chance. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** A device that this bridge has: connected again and again until `stop`, with its metrics, alerts and position. */
export class WatchedDevice implements BridgedDevice {
  readonly id: string
  readonly #options: WatchedDeviceOptions
  readonly #filter: ValueFilter
  readonly #table = new MetricTable()
  readonly #end = new AbortController()
  #modules: readonly ModuleAbout[] = []
  #isAvailable = false
  #delivery: Delivery
  #device: Device | undefined
  #restart = new AbortController()
  /** More records came than can wait: they are read again, without a pause. */
  #isBehind = false
  /** Reads the state of the modules at `at`. */
  #stateRead: { readonly timer: Timer; readonly at: number } | undefined
  /** Runs while the outputs do not know all of the device. */
  #announcing: Timer | undefined
  readonly #watching = new Map<string, AbortController>()

  constructor(options: WatchedDeviceOptions) {
    this.id = options.id
    this.#options = options
    this.#filter = new ValueFilter(options.watch, options.clock, (changes) => {
      if (this.#announcing === undefined) options.listener.onValues(changes)
    })
    this.#delivery = this.#newDelivery(options.position)
  }

  get url(): string {
    return this.#options.source.url
  }

  get types(): Readonly<Record<string, ModuleType>> {
    return this.#options.types
  }

  get modules(): readonly ModuleAbout[] {
    return this.#modules
  }

  get isAvailable(): boolean {
    return this.#isAvailable
  }

  get metrics(): ReadonlyMap<string, Metric> {
    return this.#table.metrics
  }

  get alertSources(): readonly AlertSource[] {
    return this.#modules.flatMap(({ service, slot }) => {
      const type = this.#options.types[service]
      return type === undefined ? [] : alertSourcesOf(type, { service, slot })
    })
  }

  /** The id of the last record that the broker has; empty: none. */
  get position(): string {
    return this.#delivery.position
  }

  /** The client of the device, while it is connected. */
  get client(): Device | undefined {
    return this.#isAvailable ? this.#device : undefined
  }

  valueOf(path: string): Value {
    return this.#table.valueOf(path)
  }

  /** Connects until `stop`. */
  async run(): Promise<void> {
    const { clock, random, log, source } = this.#options
    const { signal } = this.#end
    for (let attempt = 0; !signal.aborted; attempt++) {
      this.#restart = new AbortController()
      const begun = clock.now()
      try {
        await this.#follow()
      } catch (error) {
        if (signal.aborted) break
        log.warn({ url: source.url, reason: messageOf(error) }, 'the device cannot be followed now')
        if (attempt === 0) this.#announce()
      }
      if (this.#isBehind) {
        this.#isBehind = false
        attempt = -1
        continue
      }
      this.#setAvailable(false)
      // What was begun again on purpose, or lasted, begins without a long pause.
      if (clock.now() - begun > LONGEST_PAUSE_MS) attempt = 0
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10)) * ((1 + random()) / 2)
      await clock.sleep(pauseMs, signal).catch(() => undefined)
    }
  }

  /** Ends everything, and stores the position if the broker is there. */
  async stop(): Promise<void> {
    this.#end.abort()
    this.#restart.abort()
    this.#filter.stop()
    this.#stateRead?.timer.cancel()
    this.#announcing?.cancel()
    this.#delivery.stop()
    for (const watching of this.#watching.values()) watching.abort()
    await this.#device?.close()
    await this.#delivery.flush().catch(() => undefined)
  }

  /** A command was carried out: its setting may have changed. */
  lookSoon(): void {
    this.#readStateIn(STATE_AFTER_COMMAND_MS)
  }

  #newDelivery(position: string): Delivery {
    const { clock, log, listener } = this.#options
    return new Delivery(position, {
      clock,
      log,
      publish: (record) => listener.onRecord(record),
      store: (stored) => listener.onPosition(stored),
      onOverflow: () => {
        this.#isBehind = true
        this.#restart.abort()
      },
    })
  }

  /** Follows the device until it is lost permanently, or something asks for a new beginning. */
  async #follow(): Promise<void> {
    const { source, listener, id } = this.#options
    const signal = AbortSignal.any([this.#end.signal, this.#restart.signal])
    if ((await source.identify(signal)) !== id) {
      listener.onOther()
      throw new Error('another device answers at this address')
    }
    const { position } = this.#delivery
    this.#delivery.stop()
    this.#delivery = this.#newDelivery(position)
    let feed: Feed | undefined
    const device = await source.connect({
      signal,
      source: (connection, onState) => {
        feed = new Feed(connection, onState, { after: position, kinds: KINDS })
        return feed
      },
    })
    this.#device = device
    try {
      const { extensions } = device
      if (!extensions || feed === undefined)
        throw new Error('this server has no event stream: only Slotwire devices can be bridged')
      // Who answers there next may be another device: it is asked first.
      device.context.live.changes.add(({ isConnected }) => {
        if (!isConnected) this.#restart.abort()
      })
      const over = this.#records(feed, signal)
      await this.#lookAtModules(signal)
      await this.#readState()
      this.#setAvailable(true)
      await over
    } finally {
      for (const watching of this.#watching.values()) watching.abort()
      this.#watching.clear()
      this.#stateRead?.timer.cancel()
      this.#stateRead = undefined
      this.#device = undefined
      await device.close()
    }
  }

  /** Gives the records of the stream to the delivery. Ends with the stream, or the signal. */
  #records(feed: Feed, signal: AbortSignal): Promise<void> {
    const delivery = this.#delivery
    return new Promise((resolve, reject) => {
      const remove = feed.add({
        onMessage: (message) => this.#onMessage(message, delivery, signal),
        onFailure: (error) => {
          if (error === undefined) resolve()
          else reject(error instanceof Error ? error : new Error('the event stream ended', { cause: error }))
        },
      })
      signal.addEventListener(
        'abort',
        () => {
          remove()
          resolve()
        },
        { once: true },
      )
    })
  }

  #onMessage(message: Message, delivery: Delivery, signal: AbortSignal): void {
    switch (message.kind) {
      case 'value':
      case 'end':
        return
      case 'hello':
        // Where this began is not known: a new device, or a broker that lost the position.
        if (delivery.position === '') delivery.add({ kind: 'gap', after: null, missing: null })
        delivery.add({ position: String(message['last']) })
        return
      case 'gap':
        delivery.add({ kind: 'gap', after: delivery.position, missing: message['missing'] ?? null })
        return
      default:
        delivery.add(message)
        if (message.kind === 'module' || message.kind === 'device') void this.#lookAtModules(signal).catch(() => undefined)
        this.#readStateIn(STATE_AFTER_CHANGE_MS)
    }
  }

  /** Follows the readings of modules that are there now, and no others. */
  async #lookAtModules(signal: AbortSignal): Promise<void> {
    const device = this.#device
    if (device === undefined) return
    const { types } = this.#options
    await Promise.allSettled(Object.keys(types).map((service) => device.context.sessions.refresh(service, { signal })))
    const present = device.modules.filter(({ service }) => types[service] !== undefined)
    const abouts = await Promise.all(present.map((module) => this.#about(device, module, signal)))
    const keys = new Set(abouts.map(keyOf))
    for (const [key, watching] of this.#watching) if (!keys.has(key)) watching.abort()
    for (const metric of this.#table.keepOnly(keys)) this.#filter.forget(metric)
    this.#modules = abouts
    for (const about of abouts) if (!this.#watching.has(keyOf(about))) this.#watch(device, about, signal)
    this.#announce()
  }

  async #about(device: Device, { service, slot }: { service: string; slot: number }, signal: AbortSignal): Promise<ModuleAbout> {
    const known = this.#modules.find((about) => about.service === service && about.slot === slot)
    const found = await device
      .module(service, slot)
      .descriptor({ signal })
      .catch(() => undefined)
    if (found === undefined) return known ?? { slot, service, type: '', product: '', serial: '', firmware: '' }
    const { major, minor, patch } = found.fw_version.version
    const { vendor_product_id: type, product_name: product, serial_code: serial } = found
    return { slot, service, type, product, serial, firmware: `${major}.${minor}.${patch}` }
  }

  #watch(device: Device, { service, slot }: ModuleAbout, signal: AbortSignal): void {
    const type = this.#options.types[service]
    if (type === undefined) return
    const end = new AbortController()
    const key = keyOf({ service, slot })
    this.#watching.set(key, end)
    end.signal.addEventListener('abort', () => this.#watching.delete(key), { once: true })
    const { everyMs } = this.#options.watch
    const module = device.module(service, slot)
    for (const endpoint of Object.keys(type.readings)) {
      // The specification lets inputs be read often: they change fast.
      const isFast = type.contract.endpoints[endpoint]?.caching === 'one-second'
      const every = isFast ? everyMs : everyMs * SLOW_FACTOR
      const ended = AbortSignal.any([signal, end.signal])
      const read = async (): Promise<void> => {
        for await (const reading of module.watch(endpoint, { every, signal: ended })) {
          if (isGap(reading) || reading.kind === 'error') continue
          this.#take(readingsOf(type, { service, slot }, endpoint, reading.value), `${key} ${endpoint}`)
          if (isFast) this.#readStateIn(STATE_AFTER_CHANGE_MS)
        }
      }
      void read().catch((error: unknown) => {
        if (ended.aborted) return
        this.#options.log.warn(
          { url: this.url, slot, reason: messageOf(error) },
          'a reading ended: the device is connected again',
        )
        this.#restart.abort()
      })
    }
  }

  #readStateIn(ms: number): void {
    const { clock } = this.#options
    const at = clock.now() + ms
    if (this.#device === undefined || (this.#stateRead !== undefined && this.#stateRead.at <= at)) return
    this.#stateRead?.timer.cancel()
    this.#stateRead = { at, timer: clock.after(ms, () => void this.#readState()) }
  }

  /** What the modules acknowledged last, for the settings. */
  async #readState(): Promise<void> {
    const device = this.#device
    if (device === undefined) return
    const { types } = this.#options
    this.#stateRead = undefined
    // Without an answer the stream says whether the device is there.
    const { modules } = await device.state({ signal: this.#end.signal }).catch(() => ({ modules: [] }))
    for (const { service, slot, state } of modules) {
      const type = types[service]
      if (type !== undefined) this.#take(controlsOf(type, { service, slot }, state), `${keyOf({ service, slot })} state`)
    }
    this.#readStateIn(STATE_EVERY_MS)
  }

  #take(values: readonly MetricValue[], source: string): void {
    const { isNew, changes } = this.#table.take(values, source)
    if (isNew) this.#announce()
    this.#filter.add(changes)
  }

  #setAvailable(isAvailable: boolean): void {
    if (this.#isAvailable === isAvailable) return
    this.#isAvailable = isAvailable
    this.#announce()
  }

  #announce(): void {
    if (this.#end.signal.aborted) return
    this.#announcing ??= this.#options.clock.after(ANNOUNCE_MS, () => {
      this.#announcing = undefined
      this.#options.listener.onDevice()
    })
  }
}
