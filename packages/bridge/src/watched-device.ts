import { isDeepStrictEqual } from 'node:util'
import { type Device, Feed, isGap, type MakeSource, type Message } from '@slotwire/client'
import { type NamedPin, parsePosition } from '@slotwire/contract'
import { type Clock, type Log, messageOf, type Timer } from '@slotwire/core'
import { allowedValues, arePinsAllowed, isModuleAllowed, isRecordAllowed, KINDS } from './allowed.ts'
import {
  type AlertSource,
  alertSourcesOf,
  controlsOf,
  keyOf,
  MetricTable,
  type MetricValue,
  type ModuleType,
  type NamedPlace,
  readingsOf,
} from './metric.ts'
import { aboutOf, MAX_TEXT_CHARACTERS, type ModuleAbout } from './module-about.ts'
import { type DeviceRecord, RecordQueue } from './record-queue.ts'
import { type FilterOptions, ValueFilter } from './value-filter.ts'

/** How to reach one device. */
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

/** One way in which a device appears on a broker: plain topics, discovery, Sparkplug. It lives as long as one connection. */
export interface Output {
  /** What it reads from the broker. */
  readonly filters?: readonly string[]
  /** The list of metrics or modules changed, or is known for the first time: say what the device has, with all values. */
  onDevice(): void
  /** Values that changed, beyond the dead band and within the rate limit. Never before `onDevice`. */
  onValues(changes: readonly MetricValue[]): void
  /** A record of the journal. Resolves when the broker has it: then the device's position moves on. */
  onRecord?(record: DeviceRecord): Promise<void>
}

export interface WatchedDeviceOptions {
  readonly id: string
  readonly source: DeviceSource
  /** By service. */
  readonly types: Readonly<Record<string, ModuleType>>
  readonly watch: WatchOptions
  /** Where the device appears. */
  readonly outputs: (device: WatchedDevice) => readonly Output[]
  /** Called before the outputs. */
  readonly onDevice: () => void
  /** Keeps the id of the last record that the broker has. */
  readonly onPosition: (position: string) => Promise<void>
  /** The id of the last record that the broker has; empty: begin with the present. */
  readonly position: string
  readonly clock: Clock
  readonly log: Log
}

/** Pins change fast; other readings are looked at so many times less often. */
const SLOW_FACTOR = 10
/** The state of the modules is read again at least so often, so soon after a change of a pin, and after a command, in milliseconds. */
const STATE_EVERY_MS = 30_000
const STATE_AFTER_CHANGE_MS = 2000
const STATE_AFTER_COMMAND_MS = 50
/** Changes of the modules that come within so many milliseconds are looked at together. */
const LOOK_MS = 100
/** What appears within so many milliseconds is announced together. */
const ANNOUNCE_MS = 100

/** A device while it is published: its metrics, alerts and position. What the contract does not allow is left out. */
export class WatchedDevice {
  /** The machine id: 32 digits 0-9 and a-f. */
  readonly id: string
  readonly outputs: readonly Output[]
  readonly #filter: ValueFilter
  readonly #table = new MetricTable()
  readonly #end = new AbortController()
  #modules: readonly ModuleAbout[] = []
  #delivery: RecordQueue
  #device: Device | undefined
  #restart = new AbortController()
  /** More records came than can wait: they are read again, without a pause. */
  #isBehind = false
  /** Reads the state of the modules at `at`. */
  #stateRead: { readonly timer: Timer; readonly at: number } | undefined
  /** Runs while the outputs do not know all of the device. */
  #announcing: Timer | undefined
  #looking: Timer | undefined
  #isRefused = false
  readonly #watching = new Map<string, AbortController>()
  /** What the operator calls pins, by module as in `keyOf`. */
  readonly #pins = new Map<string, readonly NamedPin[]>()
  /** The last reply of each reading: names and scales may change later. */
  readonly #replies = new Map<string, () => void>()

  constructor(private readonly options: WatchedDeviceOptions) {
    this.id = options.id
    this.outputs = options.outputs(this)
    this.#filter = new ValueFilter(options.watch, options.clock, (changes) => {
      if (this.#announcing === undefined) for (const output of this.outputs) output.onValues(changes)
    })
    this.#delivery = this.#newDelivery(options.position)
  }

  get url(): string {
    return this.options.source.url
  }

  get types(): Readonly<Record<string, ModuleType>> {
    return this.options.types
  }

  get modules(): readonly ModuleAbout[] {
    return this.#modules.map((about) => ({ ...about, pins: this.#placeOf(about.service, about.slot).pins }))
  }

  /** By path. Only modules that are there; a reading appears with its first value. */
  get metrics(): ReadonlyMap<string, MetricValue> {
    return this.#table.metrics
  }

  get alertSources(): readonly AlertSource[] {
    return this.#modules.flatMap(({ service, slot }) => {
      const type = this.options.types[service]
      return type === undefined ? [] : alertSourcesOf(type, this.#placeOf(service, slot))
    })
  }

  /** The client of the device, while it is connected. */
  get client(): Device | undefined {
    return this.#device
  }

  /** Follows the device until it is lost, or `stop`. Rejects with why it cannot be followed. */
  async follow(): Promise<void> {
    do {
      this.#isBehind = false
      this.#restart = new AbortController()
      await this.#follow()
    } while (this.#isBehind && !this.#end.signal.aborted)
  }

  /** Ends everything, and stores the position if the broker is there. */
  async stop(): Promise<void> {
    this.#end.abort()
    this.#filter.stop()
    for (const timer of [this.#stateRead?.timer, this.#announcing, this.#looking]) timer?.cancel()
    this.#delivery.stop()
    for (const watching of this.#watching.values()) watching.abort()
    await this.#device?.close()
    await this.#delivery.flush().catch(() => undefined)
  }

  /** A command was carried out: its setting may have changed. */
  lookSoon(): void {
    this.#readStateIn(STATE_AFTER_COMMAND_MS)
  }

  #placeOf(service: string, slot: number): NamedPlace {
    return { service, slot, pins: this.#pins.get(keyOf({ service, slot })) }
  }

  #newDelivery(position: string): RecordQueue {
    const { clock, log, onPosition: store } = this.options
    return new RecordQueue(position, {
      clock,
      log,
      publish: async (record) => {
        await Promise.all(this.outputs.map(async (output) => output.onRecord?.(record)))
      },
      store,
      onOverflow: () => {
        this.#isBehind = true
        this.#restart.abort()
      },
    })
  }

  async #follow(): Promise<void> {
    const { source } = this.options
    const signal = AbortSignal.any([this.#end.signal, this.#restart.signal])
    const { position } = this.#delivery
    this.#delivery.stop()
    this.#delivery = this.#newDelivery(position)
    let feed: Feed | undefined
    const device = await source.connect({
      signal,
      source: (http, onState) => {
        feed = new Feed(http, onState, { after: position, kinds: KINDS })
        return feed
      },
    })
    this.#device = device
    try {
      if (!device.extensions || feed === undefined)
        throw new Error('this server has no event stream: only Slotwire devices can be published')
      // Who answers there next may be another device.
      device.context.live.changes.add(({ isConnected }) => {
        if (!isConnected) this.#restart.abort()
      })
      const over = this.#records(feed, signal)
      await this.#lookAtModules(signal)
      await this.#readState()
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

  #onMessage(message: Message, delivery: RecordQueue, signal: AbortSignal): void {
    switch (message.kind) {
      case 'value':
      case 'end':
        return
      case 'hello':
        // Where this began is not known: a new device, or a broker that lost the position.
        if (delivery.position === '') delivery.add({ kind: 'gap', after: null, missing: null })
        if (parsePosition(message['last']) !== undefined) delivery.add({ position: String(message['last']) })
        return
      case 'gap':
        delivery.add({
          kind: 'gap',
          after: delivery.position,
          missing: typeof message['missing'] === 'number' ? message['missing'] : null,
        })
        return
      default:
        if (!isRecordAllowed(message, this.options.types))
          return this.#refuse({ kind: message.kind.slice(0, MAX_TEXT_CHARACTERS) })
        delivery.add(message)
        if (message.kind === 'module' || message.kind === 'device')
          this.#looking ??= this.options.clock.after(LOOK_MS, () => {
            this.#looking = undefined
            void this.#lookAtModules(signal).catch(() => undefined)
          })
        this.#readStateIn(STATE_AFTER_CHANGE_MS)
    }
  }

  /** Follows the readings of modules that are there now, and no others. */
  async #lookAtModules(signal: AbortSignal): Promise<void> {
    const device = this.#device
    if (device === undefined) return
    const { types } = this.options
    await Promise.allSettled(Object.keys(types).map((service) => device.context.sessions.refresh(service, { signal })))
    const present = device.modules.filter((module) => isModuleAllowed(module, types))
    const abouts = await Promise.all(present.map((module) => aboutOf(device, module, this.#modules, signal)))
    const keys = new Set(abouts.map(keyOf))
    for (const [key, watching] of this.#watching) if (!keys.has(key)) watching.abort()
    for (const metric of this.#table.keepOnly(keys)) this.#filter.forget(metric)
    this.#modules = abouts
    for (const about of abouts) if (!this.#watching.has(keyOf(about))) this.#watch(device, about, signal)
    this.#announce()
  }

  #watch(device: Device, { service, slot }: ModuleAbout, signal: AbortSignal): void {
    const type = this.options.types[service]
    if (type === undefined) return
    const end = new AbortController()
    const key = keyOf({ service, slot })
    this.#watching.set(key, end)
    end.signal.addEventListener('abort', () => this.#watching.delete(key), { once: true })
    const { everyMs } = this.options.watch
    const module = device.module(service, slot)
    for (const endpoint of Object.keys(type.readings)) {
      // The specification lets inputs be read often: they change fast.
      const isFast = type.contract.endpoints[endpoint]?.caching === 'one-second'
      const every = isFast ? everyMs : everyMs * SLOW_FACTOR
      const ended = AbortSignal.any([signal, end.signal])
      const read = async (): Promise<void> => {
        for await (const reading of module.watch(endpoint, { every, signal: ended })) {
          if (isGap(reading) || reading.kind === 'error') continue
          const source = `${key} ${endpoint}`
          const take = (): void =>
            this.#take(() => readingsOf(type, this.#placeOf(service, slot), endpoint, reading.value), source)
          this.#replies.set(source, take)
          take()
          if (isFast) this.#readStateIn(STATE_AFTER_CHANGE_MS)
        }
      }
      void read().catch((error: unknown) => {
        if (ended.aborted) return
        this.options.log.warn({ url: this.url, slot, reason: messageOf(error) }, 'a reading ended: the device is connected again')
        this.#restart.abort()
      })
    }
  }

  #readStateIn(ms: number): void {
    const { clock } = this.options
    const at = clock.now() + ms
    if (this.#device === undefined || (this.#stateRead !== undefined && this.#stateRead.at <= at)) return
    this.#stateRead?.timer.cancel()
    this.#stateRead = { at, timer: clock.after(ms, () => void this.#readState()) }
  }

  /** What the modules acknowledged last, for the settings. */
  async #readState(): Promise<void> {
    const device = this.#device
    if (device === undefined) return
    const { types } = this.options
    this.#stateRead = undefined
    // Without an answer the stream says whether the device is there.
    const { modules } = await device.state({ signal: this.#end.signal }).catch(() => ({ modules: [] }))
    for (const { service, slot, state, pins = [] } of Array.isArray(modules) ? modules : []) {
      const type = isModuleAllowed({ service, slot }, types) ? types[service] : undefined
      if (type === undefined) continue
      const key = keyOf({ service, slot })
      if (arePinsAllowed(pins)) this.#setPins(key, pins)
      else this.#refuse({ slot })
      this.#take(() => controlsOf(type, this.#placeOf(service, slot), state), `${key} state`)
    }
    this.#readStateIn(STATE_EVERY_MS)
  }

  /** The last readings are taken again with other names and scales. */
  #setPins(key: string, pins: readonly NamedPin[]): void {
    if (isDeepStrictEqual(this.#pins.get(key) ?? [], pins)) return
    this.#pins.set(key, pins)
    for (const [source, take] of this.#replies) if (source.startsWith(`${key} `)) take()
    this.#announce()
  }

  #take(read: () => readonly MetricValue[], source: string): void {
    let values: readonly MetricValue[]
    try {
      values = read()
    } catch {
      return this.#refuse({ source })
    }
    const allowed = allowedValues(values, this.#table.metrics)
    if (allowed.length < values.length) this.#refuse({ source })
    const { isNew, changes } = this.#table.take(allowed, source)
    if (isNew) this.#announce()
    this.#filter.add(changes)
  }

  /** Says once that something of the device is left out. */
  #refuse(what: object): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.options.log.warn({ url: this.url, ...what }, 'the device sent what the contract does not allow: it is not published')
  }

  #announce(): void {
    if (this.#end.signal.aborted) return
    this.#announcing ??= this.options.clock.after(ANNOUNCE_MS, () => {
      this.#announcing = undefined
      this.options.onDevice()
      for (const output of this.outputs) output.onDevice()
    })
  }
}
