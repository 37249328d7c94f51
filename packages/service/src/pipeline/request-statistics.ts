import type { Socket } from 'node:net'
import type { Clock } from '@slotwire/core'
import { DurationHistogram } from '@slotwire/driver'
import { histogramSamples } from '../metrics/families.ts'
import type { MetricFamily, Sample } from '../metrics/metric.ts'
import type { Caller } from './caller.ts'

/** Statuses that have a place of their own; any other counts as `other`. */
const STATUSES = [200, 204, 302, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 502, 503] as const
/** Told from the start, so that the first occurrence is seen as a rise: of an endpoint, and of what matches none. */
const TOLD_OF_ENDPOINTS: readonly number[] = [200, 500, 503]
const TOLD_OF_NONE: readonly number[] = [400, 404]
const OTHER = STATUSES.length
const STATUSES_END = 600

/** Status → place. */
const places = new Uint8Array(STATUSES_END).fill(OTHER)
for (const [place, status] of STATUSES.entries()) places[status] = place

/** Of whom a record counts requests. */
export interface RecordLabels {
  readonly service: string
  /** Its name in the contract: a path would give an endless number of labels. */
  readonly endpoint: string
  readonly method: string
}

/** What is counted, and with which of its methods it is asked. */
export interface CountedEndpoint extends Omit<RecordLabels, 'method'> {
  /** The first is its own; `HEAD` is counted apart. */
  readonly methods: readonly string[]
}

/** The requests of one endpoint and method. Counting takes no memory. */
export class RequestRecord {
  readonly labels: RecordLabels
  readonly durations = new DurationHistogram()
  readonly #counts = new Float64Array(STATUSES.length + 1)
  readonly #told: readonly number[]

  constructor(labels: RecordLabels, told = TOLD_OF_ENDPOINTS) {
    this.labels = labels
    this.#told = told
  }

  /** Counts a request that was answered with this HTTP status; its duration where that was measured. */
  count(status: number, durationMs?: number): void {
    const place = places[status] ?? OTHER
    this.#counts[place] = (this.#counts[place] as number) + 1
    if (durationMs !== undefined) this.durations.add(durationMs)
  }

  /** By status, in its order; without those that never occurred, but for some. */
  get samples(): readonly Sample[] {
    return Array.from(this.#counts, (value, place) => ({
      labels: { ...this.labels, status: STATUSES[place] ?? 'other' },
      value,
    })).filter(({ labels: { status }, value }) => value > 0 || this.#told.some((told) => told === status))
  }
}

/** What was asked of this process, by endpoint. */
export class RequestStatistics {
  /** Open connections by the kind of their door. */
  readonly connections: Record<Caller['door'], number> = { loopback: 0, network: 0 }
  /** Real time, however fast the device's own clock goes. */
  readonly clock: Clock
  /** What can be asked, in the order in which it became known. */
  readonly #expected: CountedEndpoint[] = []
  readonly #records: RequestRecord[] = []
  readonly #unmatched = new RequestRecord({ service: 'none', endpoint: 'none', method: 'any' }, TOLD_OF_NONE)

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Has the metrics tell of an endpoint before it is asked. Routes of one endpoint are one. */
  expect(endpoint: CountedEndpoint): void {
    if (!this.#expected.some((known) => isSame(labelsOf(known), labelsOf(endpoint)))) this.#expected.push(endpoint)
  }

  /** The record of these requests, a new one if there is none yet. The number of routes is what bounds the memory. */
  record(labels: RecordLabels): RequestRecord {
    const known = this.#find(labels)
    if (known !== undefined) return known
    const record = new RequestRecord(labels)
    this.#records.push(record)
    return record
  }

  #find(labels: RecordLabels): RequestRecord | undefined {
    return this.#records.find((record) => isSame(record.labels, labels))
  }

  /** Counts a request that was answered before an endpoint was found for it. */
  countUnmatched(status: number): void {
    this.#unmatched.count(status)
  }

  /** Counts a connection until it ends. */
  countConnection(door: Caller['door'], socket: Socket): void {
    this.connections[door]++
    socket.once('close', () => {
      this.connections[door]--
    })
  }

  /** Open connections of all doors together. */
  get openConnections(): number {
    return Object.values(this.connections).reduce((sum, count) => sum + count, 0)
  }

  /** Empty records of what was expected, but never asked. */
  #neverAsked(): RequestRecord[] {
    return this.#expected
      .map(labelsOf)
      .filter((labels) => this.#find(labels) === undefined)
      .map((labels) => new RequestRecord(labels))
  }

  families(): MetricFamily[] {
    const asked = this.#records.filter(({ durations, labels }) => durations.count > 0 || labels.method !== 'HEAD')
    const told = [...this.#neverAsked(), ...asked]
    return [
      {
        name: 'slotwire_http_requests_total',
        help: 'Answered requests by endpoint and status. Service and endpoint are none for what was answered before an endpoint was found.',
        type: 'counter',
        samples: [...told, this.#unmatched].flatMap(({ samples }) => samples),
      },
      {
        name: 'slotwire_http_request_duration_seconds',
        help: 'Time from the head of a request to its answer, by endpoint; of those that have been asked.',
        type: 'histogram',
        samples: asked
          .filter(({ durations }) => durations.count > 0)
          .flatMap(({ labels, durations }) => histogramSamples(durations, { ...labels })),
      },
    ]
  }
}

/** An endpoint is told of by its own method, which is the first. */
function labelsOf({ service, endpoint, methods: [method = ''] }: CountedEndpoint): RecordLabels {
  return { service, endpoint, method }
}

function isSame(one: RecordLabels, other: RecordLabels): boolean {
  return one.service === other.service && one.endpoint === other.endpoint && one.method === other.method
}
