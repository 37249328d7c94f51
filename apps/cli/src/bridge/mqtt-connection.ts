import type { Broker, BrokerMessage, ConnectBroker, Publication } from '@slotwire/bridge'
import { type Clock, isRecord, Listeners, type Log, messageOf } from '@slotwire/core'
import mqtt, { type IConnackPacket, type IDisconnectPacket, type MqttClient, type Packet } from 'mqtt'
import type { BrokerAccess } from './mqtt-options.ts'

/** The broker notices a connection that is dead without being closed after one and a half times this, in seconds. */
const KEEP_ALIVE_S = 15
const CONNECT_MS = 10_000
/** The broker drops larger messages for this client, in bytes: far above what the client stores there itself. */
const MAX_PACKET_BYTES = 262_144
/** Messages with QoS 1 that the broker may send before they are acknowledged. */
const MAX_RECEIVING = 100
/** What a packet has besides its topics and payload, at most, in bytes. */
const PACKET_OVERHEAD = 40
/** Reason code of MQTT 5: disconnects, and the broker publishes the will. */
const WITH_WILL = 0x04
const DISCONNECT_MS = 1000
/** Reason codes of a broker that does not take the will as it is. */
const NO_RETAIN = 0x9a
const NO_QOS = 0x9b

type Limits = NonNullable<IConnackPacket['properties']>

/** What a broker takes, at most, in place of the wanted quality of service and retention. */
function withinLimits({ qos, retain = false }: Publication, { maximumQoS = 1, retainAvailable = true }: Limits) {
  return { qos: maximumQoS === 0 ? 0 : qos, retain: retain && retainAvailable } as const
}

export interface MqttNeeds {
  readonly access: BrokerAccess
  readonly clock: Clock
  readonly log: Log
}

/** Makes connections with the package `mqtt`: a client for each, so that nothing is left over from the one before. */
export function connectMqtt(needs: MqttNeeds): ConnectBroker {
  const { access } = needs
  /** What the broker said last: the will obeys it, too. */
  let limits: Limits = {}
  return ({ clientId, will, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const { maximumPacketSize: most = Number.POSITIVE_INFINITY } = limits
      const texts = [clientId, will?.topic, access.options.username, access.options.password, will?.payload]
      const bytes = texts.reduce((sum, text = '') => sum + Buffer.byteLength(text), PACKET_OVERHEAD)
      if (will !== undefined && bytes > most)
        throw new Error(brokerReason({ code: 149, reasonString: `at most ${most} bytes, the connection needs ${bytes}` }, access))
      const client = mqtt.connect(access.url, {
        ...access.options,
        protocolVersion: 5,
        clean: true,
        clientId,
        keepalive: KEEP_ALIVE_S,
        connectTimeout: CONNECT_MS,
        reconnectPeriod: 0,
        queueQoSZero: false,
        resubscribe: false,
        properties: { sessionExpiryInterval: 0, maximumPacketSize: MAX_PACKET_BYTES, receiveMaximum: MAX_RECEIVING },
        ...(will === undefined
          ? {}
          : { will: { ...withinLimits(will, limits), topic: will.topic, payload: Buffer.from(will.payload) } }),
      })
      let reason: string | undefined
      const end = (): void => {
        client.end(true)
        reject(new Error(reason ?? brokerReason({ code: 'closed' }, access)))
      }
      const fail = (): void => {
        signal.removeEventListener('abort', end)
        end()
      }
      signal.addEventListener('abort', end, { once: true })
      client.on('error', (error) => {
        reason ??= brokerReason(error, access)
      })
      client.on('packetreceive', (packet: Packet) => {
        if (packet.cmd !== 'connack') return
        const { reasonCode, properties } = packet
        limits = properties ?? {}
        if (reasonCode === NO_RETAIN) limits = { ...limits, retainAvailable: false }
        if (reasonCode === NO_QOS) limits = { ...limits, maximumQoS: 0 }
        if (reasonCode !== 0) reason = brokerReason({ code: reasonCode, reasonString: properties?.reasonString }, access)
      })
      client.once('close', fail)
      client.once('connect', (connack) => {
        signal.removeEventListener('abort', end)
        client.removeListener('close', fail)
        resolve(new MqttConnection(client, connack, will !== undefined, needs))
      })
    })
}

class MqttConnection implements Broker {
  readonly lost: Promise<string>
  readonly #limits: Limits
  readonly #messages: Listeners<BrokerMessage>
  /** Rejects of what the broker did not acknowledge yet. */
  readonly #pending = new Set<(error: Error) => void>()
  /** Topics with a message that was left out or refused: each is logged once. */
  readonly #logged = new Set<string>()
  /** Messages with QoS 1 that are not acknowledged, and those that wait for their turn. */
  #unacknowledged = 0
  readonly #turns: (() => void)[] = []
  #isLost = false

  constructor(
    private readonly client: MqttClient,
    { properties = {} }: IConnackPacket,
    private readonly hasWill: boolean,
    private readonly needs: MqttNeeds,
  ) {
    this.#limits = properties
    this.#messages = new Listeners((err) => needs.log.error({ err }, 'a message of the broker could not be handled'))
    this.lost = new Promise((resolve) => this.#follow(resolve))
  }

  get waiting(): number {
    return this.#pending.size
  }

  async publish(message: Publication): Promise<void> {
    const { topic, payload, expirySeconds, responseTopic, correlation } = message
    const { maximumPacketSize = Number.POSITIVE_INFINITY } = this.#limits
    const data = Buffer.from(payload as Uint8Array)
    const bytes =
      PACKET_OVERHEAD +
      data.length +
      (correlation?.length ?? 0) +
      Buffer.byteLength(topic) +
      Buffer.byteLength(responseTopic ?? '')
    if (bytes > maximumPacketSize)
      return this.#warn(topic, { bytes, most: maximumPacketSize }, 'the broker takes no message of this size: it is left out')
    const properties = {
      ...(expirySeconds === undefined ? {} : { messageExpiryInterval: expirySeconds }),
      ...(responseTopic === undefined ? {} : { responseTopic }),
      ...(correlation === undefined ? {} : { correlationData: Buffer.from(correlation) }),
    }
    const { qos, retain } = withinLimits(message, this.#limits)
    const options = { qos, retain, properties }
    if (qos > 0) await this.#turn()
    try {
      await this.#acknowledged((done) => this.client.publish(topic, data, options, done))
    } catch (error) {
      if (!this.#isLost) this.#warn(topic, { reason: messageOf(error) }, 'the broker refused a message')
      throw error
    } finally {
      if (qos > 0) this.#endTurn()
    }
  }

  subscribe(filters: readonly string[], isLiveOnly = false): Promise<void> {
    // Retain as published: a command that is retained is known as such also when it arrives at once.
    const options = { qos: 1, rap: true, rh: isLiveOnly ? 2 : 0 } as const
    return this.#acknowledged((done) => this.client.subscribe([...filters], options, done))
  }

  unsubscribe(filters: readonly string[]): Promise<void> {
    return this.#acknowledged((done) => this.client.unsubscribe([...filters], done))
  }

  onMessage(listener: (message: BrokerMessage) => void): () => void {
    return this.#messages.add(listener)
  }

  async close(withWill = true): Promise<void> {
    if (this.#isLost) return
    await new Promise<void>((resolve) => {
      const late = this.needs.clock.after(DISCONNECT_MS, resolve)
      this.client.end(false, this.hasWill && withWill ? { reasonCode: WITH_WILL } : {}, () => {
        late.cancel()
        resolve()
      })
    })
    this.client.end(true)
  }

  #follow(resolve: (reason: string) => void): void {
    const client = this.client
    const { access } = this.needs
    let reason: string | undefined
    client.on('error', (error) => {
      reason ??= brokerReason(error, access)
    })
    client.on('disconnect', ({ reasonCode = 0, properties }: IDisconnectPacket) => {
      reason = brokerReason({ code: reasonCode, reasonString: properties?.reasonString }, access)
    })
    client.on('message', (topic, payload, { retain, properties = {} }) =>
      this.#messages.emit({
        topic,
        payload,
        retain,
        expirySeconds: properties.messageExpiryInterval,
        responseTopic: properties.responseTopic,
        correlation: properties.correlationData,
        properties: { ...properties.userProperties },
      }),
    )
    client.once('close', () => {
      this.#isLost = true
      client.end(true)
      for (const reject of [...this.#pending]) reject(new Error('the connection to the broker was lost'))
      for (const next of this.#turns.splice(0)) next()
      resolve(reason ?? brokerReason({ code: 'closed' }, access))
    })
  }

  /** Waits until the broker takes another message with QoS 1. */
  async #turn(): Promise<void> {
    const { receiveMaximum = Number.POSITIVE_INFINITY } = this.#limits
    if (this.#unacknowledged >= receiveMaximum) await new Promise<void>((resolve) => this.#turns.push(resolve))
    this.#unacknowledged++
  }

  #endTurn(): void {
    this.#unacknowledged--
    this.#turns.shift()?.()
  }

  #warn(topic: string, fields: object, message: string): void {
    if (this.#logged.has(topic)) return
    this.#logged.add(topic)
    this.needs.log.warn({ broker: this.needs.access.shown, topic, ...fields }, message)
  }

  #acknowledged(send: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isLost) return reject(new Error('the connection to the broker was lost'))
      const settle = (error?: Error | null): void => {
        if (!this.#pending.delete(fail)) return
        if (error === undefined || error === null) resolve()
        else reject(error)
      }
      const fail = (error: Error): void => settle(error)
      this.#pending.add(fail)
      send(settle)
    })
  }
}

const AUTHORITY = 'give the authority of the broker (--mqtt-ca, or mqtt.ca in the settings)'
const LOGIN = 'check the user and the password (--mqtt-user, --mqtt-password, or mqtt.user and mqtt.password in the settings)'
const UNTRUSTED = `its certificate is of an authority that this machine does not trust: ${AUTHORITY}`
const NO_TLS = 'it does not speak TLS at this port: write mqtt://, or its port for TLS'
const WRONG_PORT = 'it ended the connection at its beginning: check the port, and whether it is mqtt:// or mqtts:// there'
const ADDRESS = 'check the address and the network'

/** What an operator does about a failure, by its code. */
const REASONS: Readonly<Record<string | number, string>> = {
  ECONNREFUSED: 'nothing answers at this port: start the broker, or check the port',
  ENOTFOUND: 'its name is not known: check the address',
  EAI_AGAIN: 'its name cannot be looked up now: check the network',
  EHOSTUNREACH: `it cannot be reached: ${ADDRESS}`,
  ENETUNREACH: `it cannot be reached: ${ADDRESS}`,
  ECONNRESET: WRONG_PORT,
  EPIPE: WRONG_PORT,
  ETIMEDOUT: `it does not answer: ${ADDRESS}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it, or check the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: write the name of the certificate in the address',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate: give --mqtt-cert and --mqtt-key',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'it refuses the connection: it may require a client certificate (--mqtt-cert)',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not trust the client certificate: use one of an authority that it knows',
  garbage: 'what it sends is not MQTT: check the port',
  closed: 'it closed the connection without a reason: its log may have one',
  129: 'it does not understand the connection: it must speak MQTT 5',
  132: 'it does not speak MQTT 5: use a broker that does',
  133: 'it refuses the client id, which is the machine id: allow it',
  134: LOGIN,
  135: `it refuses this client: ${LOGIN}`,
  142: 'another connection has the client id, which is the machine id',
  149: 'it takes no packets of this size: raise its limit',
  151: 'its quota is used up: ask its operator',
  152: 'its operator closed the connection',
  138: 'it has banned this client: ask its operator',
}

/** Why the broker is not connected, with a remedy. `failure`: an error of the network, of TLS or of the package; or a reason code of MQTT 5. */
function brokerReason(failure: unknown, { shown }: Pick<BrokerAccess, 'shown'>): string {
  const { code, reasonString } = isRecord(failure) || failure instanceof Error ? (failure as BrokerFailure) : {}
  // Errors of the package's parser have no code.
  const known = REASONS[code ?? (/header flag|cannot parse|malformed/i.test(messageOf(failure)) ? 'garbage' : '')]
  const detail = typeof code === 'number' ? inWords(code, reasonString) : code === 'closed' ? undefined : messageOf(failure)
  const parts = [known ?? 'it is not connected', ...(detail === undefined ? [] : [`(${detail})`])]
  return `the broker ${shown}: ${parts.join(' ')}`
}

interface BrokerFailure {
  readonly code?: string | number
  readonly reasonString?: string | undefined
}

/** A reason code of MQTT 5: what the broker said, the meaning of the code, and the code. */
function inWords(code: number, reasonString: string | undefined): string {
  const { [code as keyof typeof mqtt.ReasonCodes]: meaning = 'unknown reason' } = mqtt.ReasonCodes
  return [reasonString, meaning, `0x${code.toString(16).padStart(2, '0')}`].filter((part) => part).join(', ')
}
