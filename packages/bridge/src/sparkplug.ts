import { type Clock, type Log, messageOf, orElse, type Timer } from '@slotwire/core'
import type { BrokerMessage, Publication } from './broker.ts'
import { MAX_COMMAND_BYTES } from './commands.ts'
import { alertPath, type Metric, type MetricValue } from './metric.ts'
import type { BridgedDevice, OutputContext, PayloadFormat } from './output.ts'
import type { DeviceRecord } from './record-queue.ts'
import type { Output } from './watched-device.ts'

/** Types of Sparkplug that are used. */
type SparkplugType = 'Double' | 'Int64' | 'Boolean' | 'String'

interface SparkplugMetric {
  readonly name: string
  readonly type: SparkplugType
  /** `null`: none now. */
  readonly value: number | boolean | string | null
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly properties?: Readonly<Record<string, { readonly type: SparkplugType; readonly value: string | boolean }>>
}

interface SparkplugPayload {
  readonly timestamp: number
  /** Missing only in a death certificate of an edge node. */
  readonly seq?: number
  readonly metrics: readonly SparkplugMetric[]
}

/** A payload that arrived. Its content comes from others. */
interface ReceivedPayload {
  readonly metrics?: readonly { readonly name?: string | null; readonly value?: unknown }[] | null
}

/** The encoding `spBv1.0`, of the package `sparkplug-payload`. */
export interface SparkplugCodec {
  encode(payload: SparkplugPayload): Uint8Array
  /** Throws if the bytes are no payload. */
  decode(bytes: Uint8Array): ReceivedPayload
}

/** Sequence numbers of messages, and of connections, are below this. */
const SEQUENCE_END = 256
const REBIRTH = 'Node Control/Rebirth'
const BD_SEQ = 'bdSeq'
/** Shortest time between two births on request, in milliseconds: each has all metrics. */
const REBIRTH_PAUSE_MS = 1000
/** With so many unwritten messages, values wait here, each as its newest only. */
const MAX_UNWRITTEN = 1000

export interface SparkplugOptions {
  readonly codec: SparkplugCodec
  /** Group id: first level of what belongs together. */
  readonly group: string
  readonly clock: Clock
  /** Milliseconds since 1970. */
  readonly wallTime: () => number
  readonly log: Log
}

type Verb = 'NBIRTH' | 'NDATA' | 'NDEATH' | 'NCMD'

const topicOf = (verb: Verb, group: string, id: string): string => `spBv1.0/${group}/${verb}/${id}`
const bdSeqMetric = (value: number, timestamp: number): SparkplugMetric => ({ name: BD_SEQ, type: 'Int64', value, timestamp })

/** A device as an edge node of Sparkplug B, by https://sparkplug.eclipse.org/specification/ 3.0. The will is its death certificate. */
export function sparkplugPayload(options: SparkplugOptions): PayloadFormat {
  /** Of the connection that is there, or is being made: [tck-id-topics-nbirth-bdseq-increment]. */
  let bdSeq = -1
  return {
    hasStatus: false,
    /** [tck-id-topics-ndeath-payload], [tck-id-topics-ndeath-seq], [tck-id-payloads-ndeath-will-message-qos] */
    will: ({ id }): Publication => {
      bdSeq = (bdSeq + 1) % SEQUENCE_END
      const timestamp = options.wallTime()
      const payload = options.codec.encode({ timestamp, metrics: [bdSeqMetric(bdSeq, timestamp)] })
      return { topic: topicOf('NDEATH', options.group, id), payload, qos: 1 }
    },
    outputs: (context) => [new SparkplugOutput(context, bdSeq, options)],
  }
}

class SparkplugOutput implements Output {
  readonly #command: string
  /** [tck-id-message-flow-edge-node-ncmd-subscribe]: before the birth, because a host may answer that with a request. */
  readonly filters: readonly string[]
  #seq = 0
  #isBorn = false
  /** The newest values that are not sent, by path. */
  readonly #unsent = new Map<string, MetricValue>()
  #lastBirth = Number.NEGATIVE_INFINITY
  #rebirth: Timer | undefined

  constructor(
    private readonly context: OutputContext,
    private readonly bdSeq: number,
    private readonly options: SparkplugOptions,
  ) {
    this.#command = topicOf('NCMD', options.group, context.device.id)
    this.filters = [this.#command]
    context.broker.onMessage((message) => this.#onMessage(message))
    void context.broker.lost.then(() => this.#rebirth?.cancel())
  }

  onDevice(): void {
    const { clock, wallTime } = this.options
    this.#rebirth?.cancel()
    this.#rebirth = undefined
    this.#unsent.clear()
    this.#seq = 0
    this.#isBorn = true
    this.#lastBirth = clock.now()
    const timestamp = wallTime()
    void this.#send('NBIRTH', [
      bdSeqMetric(this.bdSeq, timestamp),
      { name: REBIRTH, type: 'Boolean', value: false, timestamp },
      ...birthMetricsOf(this.context.device, timestamp),
    ])
  }

  onValues(changes: readonly MetricValue[]): void {
    for (const change of changes) this.#unsent.set(change.metric.path, change)
    this.#sendHeld()
  }

  async onRecord(record: DeviceRecord): Promise<void> {
    const { kind, slot, pin, at, alerts } = record
    if (kind !== 'alert' || !Array.isArray(alerts)) return
    const source = this.context.device.alertSources.find(
      (each) => each.slot === slot && each.path === alertPath(each, 'pin', Number(pin)),
    )
    if (source === undefined) return
    if (!this.#isBorn) throw new Error('the device has no birth certificate now')
    const time = Date.parse(String(at))
    const timestamp = Number.isNaN(time) ? this.options.wallTime() : time
    if (!(await this.#send('NDATA', [alertMetric(source.path, alerts.join(','), timestamp)])))
      throw new Error('the broker was lost before it had the alert')
  }

  #sendHeld(): void {
    if (this.#unsent.size === 0 || this.context.broker.waiting >= MAX_UNWRITTEN) return
    const timestamp = this.options.wallTime()
    const metrics = [...this.#unsent.values()].map((change) => metricOf(change, timestamp))
    this.#unsent.clear()
    void this.#send('NDATA', metrics).then(() => this.#sendHeld())
  }

  /** Numbers and sends a message in one go: their order is that of the numbers. Resolves with whether it was written. */
  async #send(verb: Verb, metrics: readonly SparkplugMetric[]): Promise<boolean> {
    const { codec, log, wallTime, group } = this.options
    const payload = codec.encode({ timestamp: wallTime(), seq: this.#seq, metrics })
    this.#seq = (this.#seq + 1) % SEQUENCE_END
    const topic = topicOf(verb, group, this.context.device.id)
    try {
      await this.context.broker.publish({ topic, payload, qos: 0 })
      return true
    } catch (error) {
      log.debug({ topic, reason: messageOf(error) }, 'a message was not published')
      return false
    }
  }

  #onMessage({ topic, payload, retain }: BrokerMessage): void {
    if (retain || payload.length > MAX_COMMAND_BYTES || topic !== this.#command) return
    const metrics = orElse(undefined, () => this.options.codec.decode(payload))?.metrics ?? []
    for (const { name, value } of metrics) {
      if (name === REBIRTH) {
        if (value === true) this.#onRebirth()
      } else if (typeof name === 'string' && this.context.commands !== 'off') void this.#onCommand(name, value)
    }
  }

  /** Requests that come together are one. */
  #onRebirth(): void {
    if (!this.#isBorn || this.#rebirth !== undefined) return
    const { clock } = this.options
    const waitMs = this.#lastBirth + REBIRTH_PAUSE_MS - clock.now()
    if (waitMs <= 0) return this.onDevice()
    this.#rebirth = clock.after(waitMs, () => this.onDevice())
  }

  async #onCommand(path: string, value: unknown): Promise<void> {
    const error = typeof value === 'string' ? await this.context.command(path, value) : 'bad-payload'
    // Sparkplug has no answers.
    if (error !== undefined) this.options.log.warn({ path: path.slice(0, 100), error }, 'a command of Sparkplug was refused')
  }
}

/** Everything that a device will report, with its present values, units and what it means: [tck-id-topics-dbirth-metric-reqs]. */
function birthMetricsOf(device: BridgedDevice, timestamp: number): readonly SparkplugMetric[] {
  const values = [...device.metrics.values()].map((each) => ({
    ...metricOf(each, timestamp),
    properties: propertiesOf(each.metric),
  }))
  const alerts = device.alertSources.map(({ path }) => alertMetric(path, null, timestamp))
  return [...values, ...alerts]
}

/** The last alert of a pin: the names of its flags. */
function alertMetric(path: string, flags: string | null, timestamp: number): SparkplugMetric {
  return { name: path, type: 'String', value: flags, timestamp }
}

function metricOf({ metric, value }: MetricValue, timestamp: number): SparkplugMetric {
  return { name: metric.path, type: typeOf(metric), value: value ?? null, timestamp }
}

function typeOf({ type, isCounter }: Metric): SparkplugType {
  if (type === 'number') return isCounter ? 'Int64' : 'Double'
  return type === 'boolean' ? 'Boolean' : 'String'
}

/** Names that hosts know: `engUnit`, `readOnly`, `documentation`. */
function propertiesOf({ unit, control, help }: Metric): NonNullable<SparkplugMetric['properties']> {
  return {
    ...(unit === undefined ? {} : { engUnit: { type: 'String', value: unit } }),
    readOnly: { type: 'Boolean', value: control === undefined },
    documentation: { type: 'String', value: help },
  }
}
