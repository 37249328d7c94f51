import type { Endpoint } from './endpoint.ts'
import { successSchema } from './schemas.ts'

/** The project's own, beside the specification's `/api/`; their paths are whole. */
export const healthEndpoints = {
  livez: {
    method: 'GET',
    path: '/slotwire/livez',
    reply: successSchema,
    effect: 'read',
    caching: 'no-store',
    summary: 'Says that the process is alive',
    errors: [],
    spec: 'an extension of the project',
  },
  readyz: {
    method: 'GET',
    path: '/slotwire/readyz',
    reply: successSchema,
    effect: 'read',
    caching: 'no-store',
    summary: 'Says that the device can be used',
    description: 'Answers 502 while the device is restarting, 503 while the service is stopping.',
    errors: [],
    spec: 'an extension of the project',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
