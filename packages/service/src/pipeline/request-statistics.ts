import type { Socket } from 'node:net'
import type { Clock } from '@slotwire/core'
import { DurationHistogram } from '@slotwire/driver'
import { histogramSamples, type MetricFamily, type Sample } from '../metrics/metric.ts'
import type { Caller } from './request.ts'

/** Statuses reported from the start, so that a first occurrence is an increase: of endpoints, and without an endpoint. */
const INITIAL_STATUSES: readonly number[] = [200, 500, 503]
const INITIAL_UNMATCHED: readonly number[] = [400, 404]

/** Labels of a record. */
interface RecordLabels {
  readonly service: string
  /** Name in the contract: paths would give an unlimited number of labels. */
  readonly endpoint: string
  readonly method: string
}

/** Statistics of one endpoint and method. */
export class RequestRecord {
  /** Undefined before the first request that is measured: most endpoints of most processes are never used. */
  durations: DurationHistogram | undefined
  /** By status. An object, which is smaller than a map while it is empty. */
  readonly #counts: Record<number, number> = {}

  constructor(
    readonly labels: RecordLabels,
    private readonly initial = INITIAL_STATUSES,
  ) {}

  /** Counts a response with this HTTP status, and its duration if measured. */
  count(status: number, durationMs?: number): void {
    this.#counts[status] = (this.#counts[status] ?? 0) + 1
    if (durationMs === undefined) return
    this.durations ??= new DurationHistogram()
    this.durations.add(durationMs)
  }

  /** Counts of the initial statuses and of those that occurred, in ascending order. */
  get samples(): readonly Sample[] {
    const counts: Record<number, number> = { ...Object.fromEntries(this.initial.map((status) => [status, 0])), ...this.#counts }
    return Object.entries(counts).map(([status, value]) => ({ labels: { ...this.labels, status: Number(status) }, value }))
  }
}

/** Statistics of all requests, by endpoint. */
export class RequestStatistics {
  /** Open connections by the kind of their door. */
  readonly connections: Record<Caller['door'], number> = { loopback: 0, network: 0 }
  readonly #records = new Map<string, RequestRecord>()
  readonly #unmatched = new RequestRecord({ service: 'none', endpoint: 'none', method: 'any' }, INITIAL_UNMATCHED)

  constructor(
    /** Real time, at any speed of the device's clock. */
    readonly clock: Clock,
  ) {}

  /** The record with these labels, created if necessary: from then on metrics report it. Routes of one endpoint share theirs. */
  record(labels: RecordLabels): RequestRecord {
    const { service, endpoint, method } = labels
    const key = `${service} ${endpoint} ${method}`
    const record = this.#records.get(key) ?? new RequestRecord(labels)
    this.#records.set(key, record)
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

  families(): MetricFamily[] {
    const records = [...this.#records.values()]
    return [
      {
        name: 'slotwire_http_requests_total',
        help: 'Answered requests by endpoint and status. Requests without an endpoint have none as service and endpoint.',
        type: 'counter',
        samples: [...records, this.#unmatched].flatMap(({ samples }) => samples),
      },
      {
        name: 'slotwire_http_request_duration_seconds',
        help: 'Time from the head of a request to its response, by endpoint; only endpoints with requests.',
        type: 'histogram',
        samples: records.flatMap(({ labels, durations }) => (durations ? histogramSamples(durations, { ...labels }) : [])),
      },
    ]
  }
}
