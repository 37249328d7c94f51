import { endpointErrors, type Version } from '@slotwire/core'
import type { Endpoint } from './endpoint.ts'
import { reads, writes } from './endpoint-kinds.ts'
import { literal, named, objectOf } from './fields.ts'
import { descriptorSchema, versionAndDevicesSchema } from './schemas.ts'

/** Version of the API; spec "Versioning". */
export const API_VERSION: Version = { major: 1, minor: 0, patch: 0 }

/** The path of a service: `/api/io/1.0`. */
export function servicePath(service: string): string {
  return `/api/${service}/${API_VERSION.major}.${API_VERSION.minor}`
}

/** Spec "Generic endpoints". Its path is below `/api/<service>/<version>`, without a slot. */
export const versionRoot = {
  ...reads,
  path: '/',
  reply: versionAndDevicesSchema,
  summary: 'Lists versions and usable devices',
  description:
    'Check `version.api` first, build further URLs from `slot_number`, and compare `driver_session` and each `device_session` often.',
  spec: 'Generic endpoints, rules 1 to 3',
} as const satisfies Endpoint

/** Spec "Generic endpoints": the endpoints that every module has. */
export const genericEndpoints = {
  reset: {
    ...writes,
    path: '/reset',
    turn: 'clears',
    body: named('ResetRequest', objectOf({ reset: literal('yes') })),
    summary: 'Resets the module to its initial state',
    description: 'Equal to a restart of the driver (SUSPEND), not a reset of the system. Sessions stay.',
    danger: 'All settings of the module are lost: what it drives is switched off.',
    spec: 'Generic endpoints',
    example: { reset: 'yes' },
  },
  descriptor: {
    ...reads,
    path: '/descriptor',
    reply: descriptorSchema,
    errors: [endpointErrors.descriptorNotRead],
    summary: 'Reads the descriptor of the module',
    spec: 'Generic endpoints; Device descriptor',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
