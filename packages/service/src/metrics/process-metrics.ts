import { API_VERSION } from '@slotwire/contract'
import { formatVersion, type Version } from '@slotwire/core'
import type { EventLoopDelay } from './event-loop-delay.ts'
import { histogramSamples, singleMetric } from './families.ts'
import type { MetricFamily } from './metric.ts'

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
