import type { ErrorDefinition } from '@slotwire/core'
import type { ObjectSchema, Schema, ValueOf } from './schema.ts'

/** A whole number in the path, `{name}` in the endpoint's path. */
export interface PathParameter {
  readonly description: string
  readonly min: number
  readonly max: number
  /** An example value for the default twin. */
  readonly example: number
}

/** A parameter in the query of a request. */
export interface QueryParameter {
  readonly isRequired?: true
  readonly description: string
  readonly example: string
}

/**
 * The effect of a request. `read`: none; `deliver`: a GET that returns alerts and clears them; `write`: changes the module; `action`: a
 * GET that changes the module.
 */
export type Effect = 'read' | 'deliver' | 'write' | 'action'

/**
 * Whose leases can refuse a write, besides the lease of its slot. `device`: that of every leased slot, as the write can end the work of all.
 * `none`: not even that of its slot, nor `If-Match`.
 */
export type Reach = 'device' | 'none'

/**
 * The place of a write in the queue of its slot; default: after all earlier requests. `ahead`: before all that wait. `clears`: the same, and
 * the writes that it overtakes end unsent.
 */
export type Turn = 'ahead' | 'clears'

/** How long a value may be reused: never, or for the one second of the `/input/` values (spec, IO rule 7). */
export type Caching = 'no-store' | 'one-second'

/** The media type of a reply. */
export type MediaType = 'application/json' | 'text/plain' | 'text/event-stream'

/** One endpoint of a module service as a value. Routes, checks and documents are derived from it. */
export interface Endpoint {
  /** The specification uses only `GET` and `POST`. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api/<service>/<version>/<slot>`, with `{parameter}`s: `/notification/{pin}`. */
  readonly path: string
  readonly parameters?: Readonly<Record<string, PathParameter>>
  /** Request headers that it needs, with their descriptions; besides those of every endpoint of its kind. */
  readonly headers?: Readonly<Record<string, string>>
  /** Only outside the specification, whose endpoints ignore queries. */
  readonly query?: Readonly<Record<string, QueryParameter>>
  readonly body?: ObjectSchema
  readonly reply: Schema
  /** Media type of a success; JSON by default. With a text type the reply is the text itself. */
  readonly mediaType?: MediaType
  /** What a client gets that accepts JSON, if `mediaType` is another. */
  readonly jsonReply?: ObjectSchema
  readonly effect: Effect
  /** Of a write; default: the lease of its slot. */
  readonly reach?: Reach
  /** Of a write. */
  readonly turn?: Turn
  readonly caching: Caching
  /** One line for the API document. */
  readonly summary: string
  /** More text for the API document, if one line is not enough. */
  readonly description?: string
  /** For an endpoint that can hurt a running device: a sentence that says how. */
  readonly danger?: string
  /** Its errors, besides those of every endpoint. */
  readonly errors: readonly { readonly definition: ErrorDefinition }[]
  /** Where the specification defines it. */
  readonly spec: string
  /** An example body for the default twin, for docs and the try-out page. */
  readonly example?: Readonly<Record<string, unknown>>
  /** Checks a rule between the fields of a valid body that no schema can express: the message of a 422, or undefined. */
  check?(body: object): string | undefined
}

export type BodyOf<E extends Endpoint> = E['body'] extends ObjectSchema ? ValueOf<E['body']> : undefined
export type ParametersOf<E extends Endpoint> = { readonly [Name in keyof E['parameters']]: number }
export type ReplyOf<E extends Endpoint> = ValueOf<E['reply']>

/** All endpoints of one module service. */
export interface Contract<Endpoints extends Readonly<Record<string, Endpoint>> = Readonly<Record<string, Endpoint>>> {
  /** Path segment: `io`. */
  readonly service: string
  /** Name in discovery: `io-module`. */
  readonly serviceName: string
  /** Loopback port of the original service of this type. */
  readonly port: number
  readonly title: string
  readonly description: string
  /** Slots with such a module on the default twin; examples use the last one. */
  readonly defaultSlots: readonly number[]
  /** In the order of the API document and its page: the most used first, an endpoint after those that its example needs. */
  readonly endpoints: Endpoints
}
