import { API_VERSION } from '@slotwire/contract'
import { type Clock, formatVersion, type Timer, type Version } from '@slotwire/core'
import { DurationHistogram } from '@slotwire/driver'
import { histogramSamples, type MetricFamily, singleMetric } from './metric.ts'

/** Interval of measurements, in milliseconds. */
export const LOOP_PROBE_MS = 100

/** Measures how late timers fire: how long events wait for the event loop. */
export class EventLoopDelay {
  readonly histogram = new DurationHistogram()
  #timer: Timer | undefined

  constructor(private readonly clock: Clock) {}

  /** Starts measuring; further calls have no effect. */
  start(): void {
    if (this.#timer === undefined) this.#arm()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    const dueMs = this.clock.now() + LOOP_PROBE_MS
    this.#timer = this.clock.after(LOOP_PROBE_MS, () => {
      this.histogram.add(Math.max(0, this.clock.now() - dueMs))
      this.#arm()
    })
  }
}

const MICROSECONDS_PER_SECOND = 1_000_000

/** Versions and resource use of the process. */
export function processFamilies(version: Version, eventLoop: EventLoopDelay): MetricFamily[] {
  const { user, system } = process.cpuUsage()
  return [
    {
      name: 'slotwire_build_info',
      help: 'Always 1: versions of the service, of Node.js and of the API.',
      type: 'gauge',
      samples: [
        {
          labels: {
            version: formatVersion(version),
            node_version: process.versions.node,
            api_version: formatVersion(API_VERSION),
          },
          value: 1,
        },
      ],
    },
    singleMetric('gauge', 'slotwire_uptime_seconds', 'Time since the process started.', process.uptime()),
    singleMetric('gauge', 'process_resident_memory_bytes', 'Memory of the process in RAM.', process.memoryUsage.rss()),
    singleMetric(
      'counter',
      'process_cpu_seconds_total',
      'Processor time of the process, user and system.',
      (user + system) / MICROSECONDS_PER_SECOND,
    ),
    {
      name: 'slotwire_event_loop_delay_seconds',
      help: 'Delay of timers, measured ten times a second since the first scrape; timers have a resolution of 1 ms.',
      type: 'histogram',
      samples: histogramSamples(eventLoop.histogram),
    },
  ]
}
