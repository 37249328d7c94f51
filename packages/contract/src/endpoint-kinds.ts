import type { Endpoint } from './endpoint.ts'
import { successSchema } from './schemas.ts'

/** What most endpoints that only look have in common: `{ ...reads, path: '/voltage', … }`. */
export const reads = { method: 'GET', effect: 'read', caching: 'no-store', errors: [] } as const satisfies Partial<Endpoint>

/** What most endpoints that change the module have in common. */
export const writes = {
  method: 'POST',
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  errors: [],
} as const satisfies Partial<Endpoint>

/** What a GET that changes the module has in common with its kind; spec "Generic success body". */
export const acts = {
  method: 'GET',
  reply: successSchema,
  effect: 'action',
  caching: 'no-store',
  errors: [],
} as const satisfies Partial<Endpoint>
