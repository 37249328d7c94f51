import type { Broker, BrokerMessage, BrokerRole, Publication } from '@slotwire/bridge'
import { type Clock, Listeners, type Log, messageOf, type Random, type Timer } from '@slotwire/core'
import type { BrokerAccess } from './mqtt-options.ts'
import type { MqttClient, MqttPackage } from './optional-packages.ts'

/** A broker notices a dead bridge after one and a half times this, in seconds; the fleet must do so within ten. */
const KEEP_ALIVE_S = 5
const CONNECT_MS = 10_000
/** Pauses before the next connection, in milliseconds: doubling, and the whole pause by chance, so that bridges do not come together. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
const LONGEST_DOUBLING = 8
/** The broker drops larger messages for this client, in bytes. */
const MOST_PACKET_BYTES = 65_536
/** Messages with QoS 1 that the broker may send before they are acknowledged. */
const MOST_RECEIVING = 100
/** Reason code of MQTT 5 for the older of two connections with one client id. */
const TAKEN_OVER = 0x8e
const DISCONNECT_MS = 1000
/** A connection that ends sooner is like none, in milliseconds: the next pause is longer. */
const LASTED_MS = 10_000

export interface MqttBrokerOptions {
  readonly mqtt: MqttPackage
  readonly access: BrokerAccess
  /** Name at the broker, which ends the older of two with the same one. */
  readonly name: string
  readonly role: BrokerRole
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** A connection to a broker with the package `mqtt`. Each attempt has a client of its own: nothing is left over from the one before. */
export class MqttBroker implements Broker {
  readonly #options: MqttBrokerOptions
  readonly #messages: Listeners<BrokerMessage>
  readonly #changes: Listeners<boolean>
  /** Rejects of what the broker did not acknowledge yet. */
  readonly #pending = new Set<(error: Error) => void>()
  #client: MqttClient | undefined
  #isConnected = false
  #isClosed = false
  #attempt = 0
  #connectedMs = 0
  #timer: Timer | undefined

  constructor(options: MqttBrokerOptions) {
    this.#options = options
    const onError = (error: unknown): void => options.log.error({ err: error }, 'a message of the broker could not be handled')
    this.#messages = new Listeners(onError)
    this.#changes = new Listeners(onError)
    this.#timer = options.clock.after(0, () => this.#connect())
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  get waiting(): number {
    return this.#pending.size
  }

  publish({ topic, payload, qos, retain = false, expirySeconds, responseTopic, correlation }: Publication): Promise<void> {
    const properties = {
      ...(expirySeconds === undefined ? {} : { messageExpiryInterval: expirySeconds }),
      ...(responseTopic === undefined ? {} : { responseTopic }),
      ...(correlation === undefined ? {} : { correlationData: Buffer.from(correlation) }),
    }
    const data = typeof payload === 'string' ? payload : Buffer.from(payload)
    return this.#acknowledged((client, done) => client.publish(topic, data, { qos, retain, properties }, done))
  }

  subscribe(filters: readonly string[]): Promise<void> {
    // Retain as published: a command that is retained is known as such also when it arrives at once.
    return this.#acknowledged((client, done) => client.subscribe([...filters], { qos: 1, rap: true }, done))
  }

  unsubscribe(filters: readonly string[]): Promise<void> {
    return this.#acknowledged((client, done) => client.unsubscribe([...filters], done))
  }

  onMessage(listener: (message: BrokerMessage) => void): () => void {
    return this.#messages.add(listener)
  }

  onChange(listener: (isConnected: boolean) => void): () => void {
    return this.#changes.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    const client = this.#client
    if (client === undefined) return
    await new Promise<void>((resolve) => {
      const late = this.#options.clock.after(DISCONNECT_MS, resolve)
      client.end(false, {}, () => {
        late.cancel()
        resolve()
      })
    })
    client.end(true)
  }

  #acknowledged(send: (client: MqttClient, done: (error?: Error | null) => void) => void): Promise<void> {
    const client = this.#client
    return new Promise((resolve, reject) => {
      if (client === undefined || !this.#isConnected) return reject(new Error('the broker is not connected'))
      this.#pending.add(reject)
      send(client, (error) => {
        this.#pending.delete(reject)
        if (error === undefined || error === null) resolve()
        else reject(error)
      })
    })
  }

  #connect(): void {
    const { mqtt, access, name, role, log } = this.#options
    const will = role.will()
    const client = mqtt.connect(access.url, {
      ...access.options,
      protocolVersion: 5,
      clean: true,
      clientId: `slotwire-${name}${role.suffix === '' ? '' : `-${role.suffix}`}`,
      keepalive: KEEP_ALIVE_S,
      connectTimeout: CONNECT_MS,
      reconnectPeriod: 0,
      queueQoSZero: false,
      resubscribe: false,
      properties: { sessionExpiryInterval: 0, maximumPacketSize: MOST_PACKET_BYTES, receiveMaximum: MOST_RECEIVING },
      ...(will === undefined
        ? {}
        : { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: will.qos, retain: will.retain ?? false } }),
    })
    this.#client = client
    let reason: unknown
    let isOver = false
    client.on('connect', () => {
      this.#isConnected = true
      this.#connectedMs = this.#options.clock.now()
      log.info({ broker: access.shown }, 'the broker is connected')
      this.#changes.emit(true)
    })
    client.on('message', (topic, payload, { retain, properties = {} }) =>
      this.#messages.emit({
        topic,
        payload,
        retain,
        expirySeconds: properties.messageExpiryInterval,
        responseTopic: properties.responseTopic,
        correlation: properties.correlationData,
        properties: Object.fromEntries(
          Object.entries(properties.userProperties ?? {}).flatMap(([key, value]) =>
            typeof value === 'string' ? [[key, value]] : [],
          ),
        ),
      }),
    )
    client.on('error', (error) => {
      reason = error
    })
    client.on('disconnect', ({ reasonCode }) => {
      if (reasonCode !== TAKEN_OVER) return
      reason = new Error(`another bridge has the name ${name} (fleet and name): give each its own with --name`)
      this.#attempt = LONGEST_DOUBLING
    })
    client.on('close', () => {
      if (isOver) return
      isOver = true
      this.#lost(client, reason)
    })
  }

  #lost(client: MqttClient, reason: unknown): void {
    client.end(true)
    if (this.#client === client) this.#client = undefined
    const wasConnected = this.#isConnected
    this.#isConnected = false
    for (const reject of [...this.#pending]) reject(new Error('the connection to the broker was lost'))
    this.#pending.clear()
    if (this.#isClosed) return
    const { access, clock, random, log } = this.#options
    const isShort = wasConnected && clock.now() - this.#connectedMs < LASTED_MS
    if (wasConnected && !isShort) this.#attempt = 0
    const closed = `it closed the connection${isShort ? ': another bridge may have the same --name and --fleet' : ''}`
    const fields = { broker: access.shown, reason: reason === undefined ? closed : messageOf(reason) }
    log.warn(fields, wasConnected ? 'the broker is lost: connecting again' : 'the broker cannot be reached: trying again')
    if (wasConnected) this.#changes.emit(false)
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#attempt++, LONGEST_DOUBLING))
    this.#timer = clock.after(longest * (0.1 + 0.9 * random()), () => this.#connect())
  }
}
