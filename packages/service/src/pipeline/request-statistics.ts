import type { Socket } from 'node:net'
import type { Clock } from '@slotwire/core'
import { DurationHistogram } from '@slotwire/driver'
import { histogramSamples, type MetricFamily, type Sample } from '../metrics/metric.ts'
import type { Caller } from './request.ts'

/** Statuses that are counted separately; all others count as `other`. */
const STATUSES = [200, 204, 302, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 502, 503] as const
/** Statuses reported from the start, so that a first occurrence is an increase: of endpoints, and without an endpoint. */
const INITIAL_STATUSES: readonly number[] = [200, 500, 503]
const INITIAL_UNMATCHED: readonly number[] = [400, 404]
const isListed = (status: number): boolean => STATUSES.some((listed) => listed === status)

/** Labels of a record. */
export interface RecordLabels {
  readonly service: string
  /** Name in the contract: paths would give an unlimited number of labels. */
  readonly endpoint: string
  readonly method: string
}

/** An endpoint to count, with its methods. */
export interface CountedEndpoint extends Omit<RecordLabels, 'method'> {
  /** The first is the endpoint's own; `HEAD` is counted separately. */
  readonly methods: readonly string[]
}

/** Statistics of one endpoint and method. */
export class RequestRecord {
  readonly durations = new DurationHistogram()
  readonly #counts = new Map<number, number>()

  constructor(
    readonly labels: RecordLabels,
    private readonly initial = INITIAL_STATUSES,
  ) {}

  /** Counts a response with this HTTP status, and its duration if measured. */
  count(status: number, durationMs?: number): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1)
    if (durationMs !== undefined) this.durations.add(durationMs)
  }

  /** Counts in order of `STATUSES`, without zeros except for the initial statuses. */
  get samples(): readonly Sample[] {
    const others = [...this.#counts].filter(([status]) => !isListed(status)).reduce((sum, [, count]) => sum + count, 0)
    const counts = [...STATUSES.map((status) => [status, this.#counts.get(status) ?? 0] as const), ['other', others] as const]
    return counts
      .filter(([status, value]) => value > 0 || this.initial.some((initial) => initial === status))
      .map(([status, value]) => ({ labels: { ...this.labels, status }, value }))
  }
}

/** Statistics of all requests, by endpoint. */
export class RequestStatistics {
  /** Open connections by the kind of their door. */
  readonly connections: Record<Caller['door'], number> = { loopback: 0, network: 0 }
  /** Registered endpoints, in order of registration. */
  readonly #expected = new Map<string, RecordLabels>()
  readonly #records = new Map<string, RequestRecord>()
  readonly #unmatched = new RequestRecord({ service: 'none', endpoint: 'none', method: 'any' }, INITIAL_UNMATCHED)

  constructor(
    /** Real time, at any speed of the device's clock. */
    readonly clock: Clock,
  ) {}

  /** Registers an endpoint, so that metrics report it before its first request. Routes of one endpoint are merged. */
  expect({ service, endpoint, methods: [method = ''] }: CountedEndpoint): void {
    const labels = { service, endpoint, method }
    this.#expected.set(keyOf(labels), labels)
  }

  /** The record with these labels, created if necessary. The number of routes limits the memory. */
  record(labels: RecordLabels): RequestRecord {
    const record = this.#records.get(keyOf(labels)) ?? new RequestRecord(labels)
    this.#records.set(keyOf(labels), record)
    return record
  }

  /** Counts a request that was answered without an endpoint. */
  countUnmatched(status: number): void {
    this.#unmatched.count(status)
  }

  /** Counts a connection until it closes. */
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

  /** Empty records of endpoints without requests. */
  #unusedRecords(): RequestRecord[] {
    return [...this.#expected].flatMap(([key, labels]) => (this.#records.has(key) ? [] : [new RequestRecord(labels)]))
  }

  families(): MetricFamily[] {
    const used = [...this.#records.values()].filter(({ durations, labels }) => durations.count > 0 || labels.method !== 'HEAD')
    const reported = [...this.#unusedRecords(), ...used]
    return [
      {
        name: 'slotwire_http_requests_total',
        help: 'Answered requests by endpoint and status. Requests without an endpoint have none as service and endpoint.',
        type: 'counter',
        samples: [...reported, this.#unmatched].flatMap(({ samples }) => samples),
      },
      {
        name: 'slotwire_http_request_duration_seconds',
        help: 'Time from the head of a request to its response, by endpoint; only endpoints with requests.',
        type: 'histogram',
        samples: used
          .filter(({ durations }) => durations.count > 0)
          .flatMap(({ labels, durations }) => histogramSamples(durations, { ...labels })),
      },
    ]
  }
}

function keyOf({ service, endpoint, method }: RecordLabels): string {
  return [service, endpoint, method].join(' ')
}
