import type { Endpoint } from './endpoint.ts'
import { successSchema } from './schemas.ts'

/** Common fields of most endpoints that only read: `{ ...reads, path: '/voltage', … }`. */
export const reads = { method: 'GET', effect: 'read', caching: 'no-store', errors: [] } as const satisfies Partial<Endpoint>

/** Common fields of most endpoints that change the module. */
export const writes = {
  method: 'POST',
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  errors: [],
} as const satisfies Partial<Endpoint>

/** Common fields of a GET that changes the module; spec "Generic success body". */
export const acts = { ...writes, method: 'GET', effect: 'action' } as const satisfies Partial<Endpoint>
