import type { Endpoint } from './endpoint.ts'
import { constant, objectOf } from './fields.ts'
import { descriptorSchema, successSchema, versionAndDevicesSchema } from './schemas.ts'

/** Spec "Generic endpoints". Its path is below `/api/<service>/<version>`, without a slot. */
export const versionRoot = {
  method: 'GET',
  path: '/',
  reply: versionAndDevicesSchema,
  effect: 'read',
  caching: 'no-store',
  summary: 'Lists versions and usable devices',
  description:
    'Check `version.api` first, build further URLs from `slot_number`, and compare `driver_session` and each `device_session` often.',
  errors: [],
  spec: 'Generic endpoints, rules 1 to 3',
} as const satisfies Endpoint

/** Spec "Generic endpoints": what every module has beside its own. */
export const genericEndpoints = {
  reset: {
    method: 'POST',
    path: '/reset',
    body: objectOf({ reset: constant('yes') }),
    reply: successSchema,
    effect: 'write',
    caching: 'no-store',
    summary: 'Brings the module back to its initial state',
    description: 'Equal to a restart of the driver (SUSPEND), not a reset of the system. Sessions stay.',
    errors: [],
    spec: 'Generic endpoints',
    example: { reset: 'yes' },
  },
  descriptor: {
    method: 'GET',
    path: '/descriptor',
    reply: descriptorSchema,
    effect: 'read',
    caching: 'no-store',
    summary: 'Reads what the module says about itself',
    errors: [],
    spec: 'Generic endpoints; Device descriptor',
  },
} as const satisfies Readonly<Record<string, Endpoint>>
