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

/** The level of an endpoint: outside the API (`/slotwire/`), in an extension there, at a service, or at one of its slots. */
export type EndpointLevel = 'process' | 'extension' | 'service' | 'slot'

/** Whether leases and `If-Match` can refuse a request: it is a write of the specification. */
export function isGuarded({ effect, reach }: Pick<Endpoint, 'effect' | 'reach'>, level: EndpointLevel): boolean {
  return level === 'slot' && (effect === 'write' || effect === 'action') && reach !== 'none'
}
