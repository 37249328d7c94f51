import { type Clock, type Log, messageOf, type Random } from '@slotwire/core'
import type { Broker, BrokerMessage, OpenBroker } from './broker.ts'
import { type CommandMode, Commands } from './commands.ts'
import { Fleet } from './fleet.ts'
import type { ModuleType } from './metric.ts'
import type { Output, OutputContext } from './output.ts'
import { deliveredTopic, deviceTopic } from './topics.ts'
import { type DeviceSource, WatchedDevice, type WatchOptions } from './watched-device.ts'

/** Devices whose identity is read at the same time. */
const MOST_IDENTIFYING = 16
/** Pause before devices that did not answer are asked again, in milliseconds. */
const IDENTIFY_AGAIN_MS = 5000
/** Devices begin within so many milliseconds for each of them, at most within `LONGEST_SPREAD_MS`: all at once would be a storm. */
const SPREAD_PER_DEVICE_MS = 10
const LONGEST_SPREAD_MS = 5000
/** The position of a device arrives within so many milliseconds after the subscription, if the broker has one. */
const POSITION_MS = 1000
/** Time for what is said at the end, in milliseconds. */
const GOODBYE_MS = 3000
const POSITION = /^(\d{1,15})-(\d{1,15})$/
const TEXT = new TextDecoder()

export interface BridgeOptions {
  readonly name: string
  /** Name of the fleet. */
  readonly fleet: string
  readonly sources: readonly DeviceSource[]
  /** By service. */
  readonly types: Readonly<Record<string, ModuleType>>
  readonly watch: WatchOptions
  readonly commands: CommandMode
  readonly openBroker: OpenBroker
  /** Makes what appears on the broker, besides presence and positions. */
  outputs(context: OutputContext, broker: Broker): readonly Output[]
  readonly clock: Clock
  readonly wallTime: () => number
  readonly random: Random
  readonly log: Log
}

/** Brings devices to a broker: those that are its own in the fleet, while the broker is connected. Without the broker nothing is kept. */
export class Bridge {
  readonly #options: BridgeOptions
  readonly #broker: Broker
  readonly #fleet: Fleet
  readonly #commands: Commands
  readonly #outputs: readonly Output[]
  /** The machine ids of the addresses; undefined: not known yet. */
  readonly #ids = new Map<DeviceSource, string | undefined>()
  /** The devices of this bridge, by machine id. */
  readonly #devices = new Map<string, { readonly device: WatchedDevice | undefined; readonly end: AbortController }>()
  /** The id up to which the broker has the records of each device, of all bridges: also what a broker lost that kept nothing. */
  readonly #positions = new Map<string, string>()
  readonly #end = new AbortController()
  #connection = new AbortController()
  #isIdentifying = false

  constructor(options: BridgeOptions) {
    this.#options = options
    const { name, fleet, clock, log } = options
    this.#broker = options.openBroker({ suffix: '', will: () => this.#fleet.will })
    const broker = this.#broker
    this.#fleet = new Fleet({ fleet, name, broker, clock, onChange: () => this.#assign() })
    this.#commands = new Commands({
      mode: options.commands,
      broker,
      clock,
      wallTime: options.wallTime,
      device: (id) => this.#devices.get(id)?.device,
    })
    const context: OutputContext = {
      name,
      hasCommands: options.commands !== 'off',
      devices: () => this.#watched(),
      command: async (device, path, word) => {
        const watched = this.#devices.get(device.id)?.device
        return watched === undefined ? 'device-unavailable' : this.#commands.set(watched, path, word)
      },
    }
    this.#outputs = options.outputs(context, broker)
    this.setSources(options.sources)
    broker.onMessage((message) => this.#onMessage(message))
    broker.onChange((isConnected) => {
      if (isConnected)
        void this.#onConnected().catch((error: unknown) =>
          log.error({ reason: messageOf(error) }, 'the broker refused the bridge'),
        )
      else this.#onLost()
    })
  }

  /** The devices that this bridge has now, and how many it knows. */
  get status(): { readonly devices: number; readonly available: number; readonly known: number; readonly isConnected: boolean } {
    const watched = [...this.#watched()]
    const available = watched.filter(({ isAvailable }) => isAvailable).length
    return { devices: watched.length, available, known: this.#ids.size, isConnected: this.#broker.isConnected }
  }

  /** Replaces the list of addresses. */
  setSources(sources: readonly DeviceSource[]): void {
    const known = new Map([...this.#ids].map(([source, id]) => [source.url, { source, id }] as const))
    this.#ids.clear()
    for (const source of sources) this.#ids.set(known.get(source.url)?.source ?? source, known.get(source.url)?.id)
    this.#assign()
    void this.#identify()
  }

  async close(): Promise<void> {
    const { clock, log } = this.#options
    this.#end.abort()
    const goodbye = async (): Promise<void> => {
      await Promise.all([...this.#devices.keys()].map((id) => this.#release(id, 'closing')))
      await Promise.allSettled(this.#outputs.map((output) => output.close()))
      if (this.#broker.isConnected) await this.#fleet.goodbye()
    }
    const late = new AbortController()
    await Promise.race([
      goodbye().catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'the broker may not know that the bridge ended'),
      ),
      clock.sleep(GOODBYE_MS, late.signal).catch(() => undefined),
    ])
    late.abort()
    this.#fleet.leave()
    this.#connection.abort()
    await this.#broker.close()
  }

  *#watched(): Iterable<WatchedDevice> {
    for (const { device } of this.#devices.values()) if (device !== undefined) yield device
  }

  async #onConnected(): Promise<void> {
    this.#connection = new AbortController()
    await this.#broker.subscribe([deliveredTopic('+')])
    await this.#fleet.join()
    for (const output of this.#outputs) await output.onConnected?.()
  }

  #onLost(): void {
    this.#connection.abort()
    this.#fleet.leave()
    for (const output of this.#outputs) output.onLost?.()
    for (const [id, { device, end }] of [...this.#devices]) {
      this.#devices.delete(id)
      end.abort()
      if (device === undefined) continue
      if (device.position !== '') this.#positions.set(id, device.position)
      void device.stop()
    }
  }

  /** Reads the machine ids that are missing, again and again until all are known. */
  async #identify(): Promise<void> {
    if (this.#isIdentifying) return
    this.#isIdentifying = true
    const { clock, random, log } = this.#options
    const { signal } = this.#end
    const missing = (): DeviceSource[] => [...this.#ids].filter(([, id]) => id === undefined).map(([source]) => source)
    for (let left = missing(), first = true; left.length > 0 && !signal.aborted; left = missing(), first = false) {
      const next = left.values()
      const work = async (): Promise<void> => {
        for (const source of next) {
          if (signal.aborted) return
          try {
            const id = await source.identify(signal)
            if (this.#ids.has(source)) this.#ids.set(source, id)
          } catch (error) {
            if (first && !signal.aborted)
              log.warn({ url: source.url, reason: messageOf(error) }, 'a device does not say who it is: asked again')
          }
        }
      }
      await Promise.all(Array.from({ length: MOST_IDENTIFYING }, work))
      this.#assign()
      if (missing().length > 0) await clock.sleep(IDENTIFY_AGAIN_MS * (0.5 + random()), signal).catch(() => undefined)
    }
    this.#isIdentifying = false
  }

  /** Takes the devices that are its own now, and gives up the others. */
  #assign(): void {
    if (this.#end.signal.aborted || !this.#broker.isConnected) return
    const { random, clock, log } = this.#options
    const own = new Map<string, DeviceSource>()
    for (const [source, id] of this.#ids) if (id !== undefined && this.#fleet.has(id)) own.set(id, source)
    const listed = new Set(this.#ids.values())
    for (const id of [...this.#devices.keys()])
      if (!own.has(id))
        void this.#release(id, listed.has(id) ? 'moved' : 'closing').catch((error: unknown) =>
          log.debug({ reason: messageOf(error) }, 'a device was given up'),
        )
    const added = [...own].filter(([id]) => !this.#devices.has(id))
    const spreadMs = added.length === 1 ? 0 : Math.min(LONGEST_SPREAD_MS, added.length * SPREAD_PER_DEVICE_MS)
    if (added.length > 0) log.info({ devices: own.size, bridges: this.#fleet.bridges.length }, 'devices of this bridge')
    for (const [id, source] of added) {
      const end = new AbortController()
      this.#devices.set(id, { device: undefined, end })
      const signal = AbortSignal.any([end.signal, this.#connection.signal])
      void clock
        .sleep(random() * spreadMs, signal)
        .then(() => this.#begin(id, source, end, signal))
        .catch((error: unknown) => {
          if (signal.aborted) return
          log.warn({ url: source.url, reason: messageOf(error) }, 'a device could not be begun: tried again')
          this.#devices.delete(id)
          clock.after(IDENTIFY_AGAIN_MS, () => this.#assign())
        })
    }
  }

  async #begin(id: string, source: DeviceSource, end: AbortController, signal: AbortSignal): Promise<void> {
    const { types, watch, clock, random, log } = this.#options
    const position = await this.#positionOf(id, signal)
    if (signal.aborted) return
    const device = new WatchedDevice({
      id,
      source,
      types,
      watch,
      position,
      clock,
      random,
      log,
      listener: {
        onDevice: () => this.#each((output) => output.onDevice(device)),
        onValues: (changes) => this.#each((output) => output.onValues(device, changes, this.#options.wallTime())),
        onRecord: async (record) => {
          await Promise.all(this.#outputs.map(async (output) => output.onRecord?.(device, record)))
        },
        onPosition: (stored) => {
          this.#positions.set(id, stored)
          return this.#broker.publish({ topic: deliveredTopic(id), payload: stored, qos: 1, retain: true })
        },
        onOther: () => {
          this.#ids.set(source, undefined)
          void this.#identify()
          void this.#release(id, 'closing').catch(() => undefined)
        },
      },
    })
    this.#devices.set(id, { device, end })
    const filters = this.#commands.filtersOf(id)
    if (filters.length > 0) await this.#broker.subscribe(filters)
    void device.run()
  }

  /** Without a position in time, empty: the device is new, or the broker lost it. */
  async #positionOf(id: string, signal: AbortSignal): Promise<string> {
    if (!this.#positions.has(id)) await this.#options.clock.sleep(POSITION_MS, signal)
    return this.#positions.get(id) ?? ''
  }

  async #release(id: string, reason: 'moved' | 'closing'): Promise<void> {
    const entry = this.#devices.get(id)
    this.#devices.delete(id)
    this.#commands.forget(id)
    entry?.end.abort()
    const { device } = entry ?? {}
    if (device === undefined) return
    await device.stop()
    if (!this.#broker.isConnected) return
    const filters = this.#commands.filtersOf(id)
    if (filters.length > 0) await this.#broker.unsubscribe(filters)
    await Promise.all(this.#outputs.map((output) => output.onGone(device, reason)))
  }

  #onMessage(message: BrokerMessage): void {
    const { id, rest } = deviceTopic(message.topic) ?? {}
    if (id !== undefined && rest === 'delivered') return this.#keepPosition(id, TEXT.decode(message.payload))
    this.#fleet.onMessage(message)
    this.#commands.onMessage(message)
  }

  #keepPosition(id: string, position: string): void {
    if (isLater(position, this.#positions.get(id))) this.#positions.set(id, position)
  }

  #each(call: (output: Output) => void): void {
    if (!this.#broker.isConnected) return
    for (const output of this.#outputs) call(output)
  }
}

/** Whether a position is one, and after another. */
function isLater(position: string, than: string | undefined): boolean {
  const [, boot, sequence] = POSITION.exec(position) ?? []
  const [, thanBoot = '-1', thanSequence = '-1'] = POSITION.exec(than ?? '') ?? []
  if (boot === undefined || sequence === undefined) return false
  return Number(boot) === Number(thanBoot) ? Number(sequence) > Number(thanSequence) : Number(boot) > Number(thanBoot)
}
