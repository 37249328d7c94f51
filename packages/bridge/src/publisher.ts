import { isBefore } from '@slotwire/contract'
import { type Clock, type Log, messageOf, type Random, sessionIdentifier } from '@slotwire/core'
import type { Broker, ConnectBroker } from './broker.ts'
import { Commands } from './commands.ts'
import type { ModuleType } from './metric.ts'
import type { PayloadFormat } from './output.ts'
import { type CommandMode, type DeviceStatus, type PublishedDevice, readStatus, statusMessage } from './status.ts'
import { commandFilters, deliveredTopic, statusRequestTopic, statusTopic } from './topics.ts'
import { type DeviceSource, WatchedDevice, type WatchOptions } from './watched-device.ts'

/** Pauses before the next connection, in milliseconds: doubling, and the whole pause by chance, so that devices do not come together. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 5000
const MAX_DOUBLINGS = 8
/** A connection that ends sooner is like none, in milliseconds: the next pause is longer. */
const LASTED_MS = 10_000
/** What the broker retains, and who publishes the device already, answer within so many milliseconds. */
const ANSWER_MS = 1000
const TEXT = new TextDecoder()

export interface PublisherOptions {
  readonly source: DeviceSource
  /** The address that others use for the device; that of the source by default. */
  readonly url?: string
  /** By service. */
  readonly types: Readonly<Record<string, ModuleType>>
  readonly watch: WatchOptions
  readonly commands: CommandMode
  readonly payload: PayloadFormat
  readonly connectBroker: ConnectBroker
  /** Takes the device from another publisher. */
  readonly takeOver: boolean
  /** Name of this machine. */
  readonly host: string
  readonly clock: Clock
  readonly wallTime: () => number
  readonly random: Random
  readonly log: Log
}

export type PublisherState = 'waiting' | 'online' | 'displaced'

/**
 * Publishes one device: a connection of its own to the broker, whose client id is the machine id, for as long as the device answers. The journal
 * of the device is the queue: nothing is stored here.
 */
export class Publisher {
  readonly #instance: string
  readonly #end = new AbortController()
  readonly #running: Promise<void>
  /** The id up to which the broker has the records of the device published last: also what a broker lost that kept nothing. */
  #delivered: { readonly id: string; readonly position: string } | undefined
  /** The device that was online here last. */
  #lastId: string | undefined
  #state: PublisherState = 'waiting'

  constructor(private readonly options: PublisherOptions) {
    this.#instance = sessionIdentifier(options.random)
    this.#running = this.#run()
  }

  get state(): PublisherState {
    return this.#state
  }

  /** Stops in order. The broker publishes the will. */
  async close(): Promise<void> {
    this.#end.abort()
    await this.#running
  }

  /** One connection after the other, with a new will for each. */
  async #run(): Promise<void> {
    const { clock, random, log, source } = this.options
    const { signal } = this.#end
    let lastReason: string | undefined
    for (let attempt = 0; !signal.aborted && this.#state !== 'displaced'; attempt++) {
      const begun = clock.now()
      try {
        await this.#connection(signal)
      } catch (error) {
        const reason = messageOf(error)
        const next = this.state === 'displaced' ? 'this publisher stops' : 'trying again'
        if (!signal.aborted && reason !== lastReason)
          log.warn({ url: source.url, reason }, `the device is not published: ${next}`)
        lastReason = reason
      }
      if (clock.now() - begun > LASTED_MS) {
        attempt = 0
        lastReason = undefined
      }
      const maxMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, MAX_DOUBLINGS))
      await clock.sleep(maxMs * random(), signal).catch(() => undefined)
    }
  }

  /** Publishes the device until it, or the broker, is lost. Rejects with the reason. */
  async #connection(signal: AbortSignal): Promise<void> {
    const { source, url = source.url, host, commands, payload, connectBroker, takeOver } = this.options
    const id = await source.identify(signal)
    const published: PublishedDevice = { id, url, host, instance: this.#instance, commands }
    const hasPublished = this.#lastId === id
    const isTaking = takeOver && !hasPublished
    if (!isTaking) {
      const look = await connectBroker({ clientId: `${id}-${this.#instance}`, signal })
      const other = await this.#look(published, look, signal).finally(() => look.close())
      if (other !== undefined) {
        // A publisher that lost the device to another one must not fight for it.
        if (hasPublished) this.#state = 'displaced'
        throw new Error(
          `${other.host} publishes the device ${id} already, from ${other.url}: here it is ${url} on ${host}. ` +
            'If one is a copy, give it a machine id of its own; to publish it from here, start with --take-over',
        )
      }
    }
    const broker = await connectBroker({ clientId: id, will: payload.will(published), signal })
    const failure = await this.#publish(published, broker, isTaking, signal).catch(messageOf)
    const loss = await Promise.race([broker.lost, Promise.resolve()])
    // Nothing was published of a device that never answered: the will would report its end all the same.
    await broker.close(this.#state === 'online')
    if (this.#state === 'online') this.#state = 'waiting'
    throw new Error(loss ?? failure ?? 'the device does not answer any more')
  }

  /** Asks who publishes this device, and reads what the broker has of it. Resolves with the status of another publisher that is alive. */
  async #look({ id, instance }: PublishedDevice, broker: Broker, signal: AbortSignal): Promise<DeviceStatus | undefined> {
    const answered = new AbortController()
    let other: DeviceStatus | undefined
    const remove = broker.onMessage(({ topic, payload }) => {
      if (topic === deliveredTopic(id)) return this.#keepPosition(id, TEXT.decode(payload))
      const status = topic === statusTopic(id) ? readStatus(id, payload) : undefined
      if (status?.state !== 'online' || status.instance === instance) return
      other = status
      answered.abort()
    })
    await broker.subscribe([statusTopic(id)], true)
    await broker.subscribe([deliveredTopic(id)])
    await broker.publish({ topic: statusRequestTopic(id), payload: '', qos: 1 })
    await this.options.clock.sleep(ANSWER_MS, AbortSignal.any([signal, answered.signal])).catch(() => undefined)
    remove()
    return other
  }

  async #publish(published: PublishedDevice, broker: Broker, isTaking: boolean, signal: AbortSignal): Promise<void> {
    const { source, types, watch, commands: mode, payload, clock, wallTime, log } = this.options
    const { id } = published
    const ended = new AbortController()
    void broker.lost.then(() => ended.abort())
    const answer = (): Promise<void> =>
      broker
        .publish({ ...statusMessage(published, 'online'), retain: payload.hasStatus && this.#state === 'online' })
        .catch(() => undefined)
    broker.onMessage((message) => {
      const isLateWill = (): boolean => this.#state === 'online' && readStatus(id, message.payload)?.state === 'offline'
      const { topic } = message
      if (topic === statusRequestTopic(id) || (topic === statusTopic(id) && isLateWill())) void answer()
    })
    await broker.subscribe([statusTopic(id), statusRequestTopic(id)])
    if (isTaking) await this.#look(published, broker, signal)
    const position = this.#delivered?.id === id ? this.#delivered.position : ''
    const store = async (stored: string): Promise<void> => {
      this.#delivered = { id, position: stored }
      await broker.publish({ topic: deliveredTopic(id), payload: stored, qos: 1, retain: true })
    }
    // A broker that keeps nothing has it again.
    if (position !== '') await store(position)
    const command = (path: string, word: string): Promise<string | undefined> => commands.set(path, word)
    const device = new WatchedDevice({
      id,
      source,
      types,
      watch,
      position,
      clock,
      log,
      outputs: (own) => payload.outputs({ broker, device: own, published, commands: mode, command }),
      onDevice: () => {
        this.#state = 'online'
        this.#lastId = id
      },
      onPosition: store,
    })
    const commands = new Commands({ mode, broker, clock, wallTime, device })
    const filters = [...(mode === 'off' ? [] : commandFilters(id)), ...device.outputs.flatMap((output) => output.filters ?? [])]
    if (filters.length > 0) await broker.subscribe(filters)
    const over = AbortSignal.any([signal, ended.signal])
    const stop = (): void => void device.stop()
    over.addEventListener('abort', stop, { once: true })
    try {
      if (!over.aborted) await device.follow()
    } finally {
      await device.stop()
    }
  }

  #keepPosition(id: string, position: string): void {
    const before = this.#delivered?.id === id ? this.#delivered.position : ''
    if (isBefore(before, position)) this.#delivered = { id, position }
  }
}
