import { type Clock, type Log, messageOf, orElse, type Timer } from '@slotwire/core'
import type { Broker, BrokerMessage, OpenBroker, Publication } from '../broker.ts'
import { MOST_COMMAND_BYTES } from '../commands.ts'
import { alertPath, type MetricValue } from '../metric.ts'
import type { BridgedDevice, DeviceRecord, Output, OutputContext } from '../output.ts'
import { alertMetric, birthMetricsOf, dataMetricsOf, type SparkplugCodec, type SparkplugMetric } from './payload.ts'

/** Sequence numbers of messages, and of connections, are below this. */
const SEQUENCE_END = 256
const REBIRTH = 'Node Control/Rebirth'
const BD_SEQ = 'bdSeq'
const DEVICES = 'devices'
/** Shortest time between two births on request, in milliseconds: each is a message for every device. */
const REBIRTH_PAUSE_MS = 1000
/** With so many unwritten messages, values wait here, each as its newest only. */
const MOST_ON_THE_WAY = 1000

export interface SparkplugOptions {
  readonly context: Pick<OutputContext, 'name' | 'hasCommands' | 'devices' | 'command'>
  readonly openBroker: OpenBroker
  readonly codec: SparkplugCodec
  /** Group id: first level of what belongs together. */
  readonly group: string
  readonly clock: Clock
  /** Milliseconds since 1970. */
  wallTime(): number
  readonly log: Log
}

type Verb = 'NBIRTH' | 'NDATA' | 'NDEATH' | 'NCMD' | 'DBIRTH' | 'DDATA' | 'DDEATH' | 'DCMD'

/**
 * A bridge as an edge node of Sparkplug B, and its machines as the devices of it, by https://sparkplug.eclipse.org/specification/ 3.0. Has a
 * connection of its own: the will is the death certificate of the edge node.
 */
export class SparkplugOutput implements Output {
  readonly #options: SparkplugOptions
  readonly #broker: Broker
  /** Of the connection that is there, or is being made: [tck-id-topics-nbirth-bdseq-increment]. */
  #bdSeq = -1
  #seq = 0
  #isBorn = false
  /** Machine ids of devices whose birth certificate holds. */
  readonly #born = new Set<string>()
  /** The newest values that are not sent, by machine id and path. */
  readonly #held = new Map<string, Map<string, MetricValue>>()
  #lastBirth = Number.NEGATIVE_INFINITY
  #rebirth: Timer | undefined

  constructor(options: SparkplugOptions) {
    this.#options = options
    this.#broker = options.openBroker({
      suffix: 'sparkplug',
      will: () => {
        this.#bdSeq = (this.#bdSeq + 1) % SEQUENCE_END
        return this.#death()
      },
    })
    this.#broker.onMessage((message) => this.#onMessage(message))
    this.#broker.onChange((isConnected) => {
      this.#forget()
      if (isConnected) void this.#begin()
    })
  }

  onDevice(device: BridgedDevice): void {
    if (!this.#isBorn) return
    if (device.isAvailable) this.#bear(device)
    else this.#bury(device.id)
  }

  onValues({ id }: BridgedDevice, changes: readonly MetricValue[]): void {
    if (!this.#born.has(id)) return
    const held = this.#held.get(id) ?? new Map<string, MetricValue>()
    for (const change of changes) held.set(change.metric.path, change)
    this.#held.set(id, held)
    this.#sendHeld()
  }

  async onRecord({ id, alertSources }: BridgedDevice, record: DeviceRecord): Promise<void> {
    const { kind, slot, pin, at, alerts } = record
    if (kind !== 'alert' || !Array.isArray(alerts)) return
    const source = alertSources.find((each) => each.slot === slot && each.path === alertPath(each, 'pin', Number(pin)))
    if (source === undefined) return
    if (!this.#born.has(id)) throw new Error('the device has no birth certificate now')
    const time = Date.parse(String(at))
    const timestamp = Number.isNaN(time) ? this.#options.wallTime() : time
    if (!(await this.#send('DDATA', [alertMetric(source.path, alerts.join(','), timestamp)], id)))
      throw new Error('the broker was lost before it had the alert')
  }

  async onGone({ id }: BridgedDevice): Promise<void> {
    this.#bury(id)
  }

  /** [tck-id-operational-behavior-edge-node-intentional-disconnect-ndeath] */
  async close(): Promise<void> {
    const wasBorn = this.#isBorn
    this.#forget()
    if (wasBorn) await this.#broker.publish(this.#death()).catch(() => undefined)
    await this.#broker.close()
  }

  #forget(): void {
    this.#isBorn = false
    this.#rebirth?.cancel()
    this.#rebirth = undefined
    this.#born.clear()
    this.#held.clear()
  }

  /** [tck-id-message-flow-edge-node-ncmd-subscribe]: before the birth, because a host may answer that with a request. */
  async #begin(): Promise<void> {
    const { log, context } = this.#options
    try {
      const filters = [this.#topic('NCMD'), ...(context.hasCommands ? [this.#topic('DCMD', '+')] : [])]
      await this.#broker.subscribe(filters)
      this.#bearAll()
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the broker did not take the subscription of the edge node')
    }
  }

  /** The birth of the edge node, and of all its devices: [tck-id-operational-behavior-data-commands-rebirth-action-2]. */
  #bearAll(): void {
    const { clock, context } = this.#options
    this.#forget()
    this.#seq = 0
    this.#isBorn = true
    this.#lastBirth = clock.now()
    const timestamp = this.#options.wallTime()
    const devices = [...context.devices()].filter(({ isAvailable }) => isAvailable)
    void this.#send('NBIRTH', [
      { name: BD_SEQ, type: 'Int64', value: this.#bdSeq, timestamp },
      { name: REBIRTH, type: 'Boolean', value: false, timestamp },
      { name: DEVICES, type: 'Int64', value: devices.length, timestamp },
    ])
    for (const device of devices) this.#bear(device, false)
  }

  #bear(device: BridgedDevice, isNew = !this.#born.has(device.id)): void {
    this.#held.delete(device.id)
    this.#born.add(device.id)
    void this.#send('DBIRTH', birthMetricsOf(device, this.#options.wallTime()), device.id)
    if (isNew) this.#sayDevices()
  }

  #bury(id: string): void {
    this.#held.delete(id)
    if (!this.#born.delete(id)) return
    void this.#send('DDEATH', [], id)
    this.#sayDevices()
  }

  #sayDevices(): void {
    void this.#send('NDATA', [{ name: DEVICES, type: 'Int64', value: this.#born.size, timestamp: this.#options.wallTime() }])
  }

  #sendHeld(): void {
    for (const [id, changes] of this.#held) {
      if (this.#broker.waiting >= MOST_ON_THE_WAY) return
      this.#held.delete(id)
      void this.#send('DDATA', dataMetricsOf(changes.values(), this.#options.wallTime()), id).then(() => this.#sendHeld())
    }
  }

  /** Numbers and sends a message in one go: their order is that of the numbers. Resolves with whether it was written; else all begins again. */
  async #send(verb: Verb, metrics: readonly SparkplugMetric[], device?: string): Promise<boolean> {
    const { codec, log } = this.#options
    const payload = codec.encode({ timestamp: this.#options.wallTime(), seq: this.#seq, metrics })
    this.#seq = (this.#seq + 1) % SEQUENCE_END
    const topic = this.#topic(verb, device)
    try {
      await this.#broker.publish({ topic, payload, qos: 0 })
      return true
    } catch (error) {
      log.debug({ topic, reason: messageOf(error) }, 'a message was not published')
      return false
    }
  }

  /** [tck-id-topics-ndeath-payload], [tck-id-topics-ndeath-seq], [tck-id-payloads-ndeath-will-message-qos] */
  #death(): Publication {
    const timestamp = this.#options.wallTime()
    const metrics = [{ name: BD_SEQ, type: 'Int64', value: this.#bdSeq, timestamp }] as const
    return { topic: this.#topic('NDEATH'), payload: this.#options.codec.encode({ timestamp, metrics }), qos: 1 }
  }

  #onMessage({ topic, payload, retain }: BrokerMessage): void {
    const id = /\/DCMD\/[^/]+\/([^/]+)$/.exec(topic)?.[1]
    const isNodes = topic === this.#topic('NCMD')
    if (retain || payload.length > MOST_COMMAND_BYTES || !(isNodes || (id !== undefined && topic === this.#topic('DCMD', id))))
      return
    const metrics = orElse(undefined, () => this.#options.codec.decode(payload))?.metrics ?? []
    for (const { name, value } of metrics) {
      if (isNodes && name === REBIRTH && value === true) this.#onRebirth()
      if (id !== undefined && typeof name === 'string') void this.#onCommand(id, name, String(value))
    }
  }

  /** Requests that come together are one. */
  #onRebirth(): void {
    if (!this.#isBorn || this.#rebirth !== undefined) return
    const { clock } = this.#options
    const waitMs = this.#lastBirth + REBIRTH_PAUSE_MS - clock.now()
    if (waitMs <= 0) return this.#bearAll()
    this.#rebirth = clock.after(waitMs, () => this.#bearAll())
  }

  async #onCommand(id: string, path: string, word: string): Promise<void> {
    const { context, log } = this.#options
    const device = [...context.devices()].find((each) => each.id === id)
    if (device === undefined) return
    const error = await context.command(device, path, word)
    // Sparkplug has no answers.
    if (error !== undefined) log.warn({ device: id, path, error }, 'a command of Sparkplug was refused')
  }

  #topic(verb: Verb, device?: string): string {
    const { group, context } = this.#options
    return `spBv1.0/${group}/${verb}/${context.name}${device === undefined ? '' : `/${device}`}`
  }
}
