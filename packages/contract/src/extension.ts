import type { Endpoint } from './endpoint.ts'
import { objectOf } from './fields.ts'
import type { ObjectSchema } from './schema.ts'

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
