import type { Endpoint } from './endpoint.ts'
import { reads } from './endpoint-kinds.ts'
import { text } from './fields.ts'

/** An extension outside the specification's `/api/`; its path is complete. It names modules and programs, so it is not public. */
export const metricsEndpoints = {
  metrics: {
    ...reads,
    path: '/slotwire/metrics',
    reply: text({ description: 'text format 0.0.4' }),
    mediaType: 'text/plain',
    summary: 'Reports the state of the process and the modules to Prometheus',
    description:
      'Requests, slots, bus and readings of the modules. Never waits for a module: readings are those last made, with their age.',
    spec: 'an extension of the project',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
