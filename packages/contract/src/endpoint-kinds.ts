import type { Endpoint } from './endpoint.ts'
import { objectOf } from './fields.ts'
import type { ObjectSchema } from './schema.ts'
import { successSchema } from './schemas.ts'

/** Common fields of most endpoints that only read: `{ ...reads, path: '/voltage', … }`. */
export const reads = { method: 'GET', effect: 'read', caching: 'no-store', errors: [] } as const satisfies Partial<Endpoint>

/** The same outside the specification. */
export const extensionReads = { ...reads, spec: 'an extension of the project' } as const

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

/** Endpoints outside the API of the modules. Their paths are complete, below `/slotwire/`. */
export type ExtensionEndpoints = Readonly<Record<string, Endpoint>>

/** An addition of the project to a device: the endpoints of one subject, as a value. */
export interface Extension<Endpoints extends ExtensionEndpoints = ExtensionEndpoints> {
  /** One word in lower case: the tag in the API document, and the label in the metrics. */
  readonly name: string
  readonly description: string
  readonly endpoints: Endpoints
}

const NO_FIELDS = objectOf({})

/** The schema for the body of an extension's POST; by default an empty object. */
export function extensionBody({ body = NO_FIELDS }: Pick<Endpoint, 'path' | 'body'>): ObjectSchema {
  return body
}

/** Whether an extension's POST may come without a body: no field is required, and no rule asks for one. */
export function isBodyOptional(endpoint: Pick<Endpoint, 'path' | 'body'>): boolean {
  const { required, oneOf, anyOf } = extensionBody(endpoint)
  return required.length === 0 && oneOf === undefined && anyOf === undefined
}
