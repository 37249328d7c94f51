import { endpointErrors } from '@slotwire/core'
import type { Endpoint } from './endpoint.ts'
import { reads } from './endpoint-kinds.ts'
import { extensionPaths } from './extension-paths.ts'
import { listOf, literal, named, objectOf, text } from './fields.ts'
import { successSchema } from './schemas.ts'

/** `warnings`: what an operator must check although the service answers requests. */
const readySchema = named(
  'Readiness',
  objectOf({ status: literal('success'), warnings: listOf(text()) }, { optional: ['warnings'] }),
)

/** Extensions outside the specification's `/api/`; their paths are complete. */
export const healthEndpoints = {
  about: {
    ...reads,
    path: extensionPaths.about,
    reply: named(
      'About',
      objectOf({ name: literal('slotwire'), version: text({ description: 'version of Slotwire: major.minor.patch' }) }),
    ),
    summary: 'Names the server and its version',
    spec: 'an extension of the project',
  },
  livez: {
    ...reads,
    path: '/slotwire/livez',
    reply: successSchema,
    summary: 'Reports that the process is alive',
    spec: 'an extension of the project',
  },
  readyz: {
    ...reads,
    path: '/slotwire/readyz',
    reply: readySchema,
    summary: 'Reports whether the device can be used',
    errors: [endpointErrors.deviceRestarting, endpointErrors.starting, endpointErrors.stopping],
    spec: 'an extension of the project',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
