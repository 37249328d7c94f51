import type { ErrorDefinition } from '@slotwire/core'
import type { ObjectSchema, Schema, ValueOf } from './schema.ts'

/** A whole number in the path, `{name}` in the endpoint's path. */
export interface PathParameter {
  readonly description: string
  readonly min: number
  readonly max: number
  /** One that works on the default twin. */
  readonly example: number
}

/**
 * What a request does. `read`: nothing but look; `deliver`: a GET that hands out alerts once; `write`: changes the module;
 * `action`: a GET that changes the module.
 */
export type Effect = 'read' | 'deliver' | 'write' | 'action'

/** How long a value may be served again: not at all, or for the one second of the `/input/` values (spec, IO rule 7). */
export type Caching = 'no-store' | 'one-second'

/** What a reply is written in. */
export type MediaType = 'application/json' | 'text/plain'

/** One endpoint of a module service, as a value: everything else about it follows from here. */
export interface Endpoint {
  /** `GET` or `POST`; the specification uses no other. */
  readonly method: 'GET' | 'POST'
  /** Below `/api/<service>/<version>/<slot>`, with `{parameter}`s: `/notification/{pin}`. */
  readonly path: string
  readonly parameters?: Readonly<Record<string, PathParameter>>
  readonly body?: ObjectSchema
  readonly reply: Schema
  /** Of the reply to a success; JSON where it is left out. `text/plain` is the value of a text schema as it is. */
  readonly mediaType?: MediaType
  readonly effect: Effect
  readonly caching: Caching
  /** One line for readers of the API document. */
  readonly summary: string
  /** Longer text for the API document, where one line is not enough. */
  readonly description?: string
  /** What it can answer beside what every endpoint can. */
  readonly errors: readonly { readonly definition: ErrorDefinition }[]
  /** Where the specification says so. */
  readonly spec: string
  /** A body that works on the default twin, for docs and the try-out page. */
  readonly example?: Readonly<Record<string, unknown>>
  /** Rules between the fields of a body that fits its schema: the message of a 422, or undefined. */
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
  /** Port of loopback at which a device has a service of this type alone; that of the original service, where there is one. */
  readonly port: number
  readonly title: string
  readonly description: string
  /** Slots that hold such a module on the default twin; examples use the last of them. */
  readonly defaultSlots: readonly number[]
  readonly endpoints: Endpoints
}
