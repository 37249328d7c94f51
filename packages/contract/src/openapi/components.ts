import type { ErrorDefinition } from '@slotwire/core'
import type { MediaType } from '../endpoint.ts'
import type { ObjectSchema, Schema } from '../schema.ts'
import { errorSchema } from '../schemas.ts'

export interface Reference {
  readonly $ref: string
}

interface MediaContent {
  readonly schema: object
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, object>>
  readonly content: { readonly [Type in MediaType]?: MediaContent }
  /** Rows of the error table that lead to this response. */
  readonly 'x-error-codes'?: readonly string[]
}

/** Where a schema is used. Replies may get more fields in later versions; unknown fields of a body are refused. */
export type Direction = 'body' | 'reply'

/** The schemas of a document: every object is stored once, under its title or a name made of its place. */
export class SchemaComponents {
  readonly #names = new Map<Schema, string>()
  readonly #components = new Map<string, object>()

  get components(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.#components)
  }

  /** The JSON of a schema; an object, or a schema with a title, becomes a reference. `place` names an object without title. */
  json(schema: Schema, place: string, direction: Direction): object {
    if (schema.title === undefined && schema.type !== 'object') return this.#expanded(schema, place, direction)
    const { title, ...untitled } = schema
    const name = title ?? this.#names.get(schema) ?? place
    const { description, ...bare } = untitled
    // One title may have many descriptions: each is beside its reference.
    const component = this.#expanded(title === undefined ? untitled : bare, name, direction)
    const known = this.#components.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two schemas are named ${name}`)
    this.#names.set(schema, name)
    this.#components.set(name, component)
    const reference = { $ref: `#/components/schemas/${name}` }
    return title === undefined || description === undefined ? reference : { ...reference, description }
  }

  #expanded(schema: Schema, place: string, direction: Direction): object {
    if (schema.type === 'array') return { ...schema, items: this.json(schema.items, place, direction) }
    if (schema.type !== 'object') return schema
    const { additionalProperties, ...rest }: ObjectSchema = schema
    const properties = Object.entries(schema.properties).map(
      ([name, property]) => [name, this.json(property, place + inPascalCase(name), direction)] as const,
    )
    const isClosed = direction === 'body' && !additionalProperties
    return { ...rest, properties: Object.fromEntries(properties), ...(isClosed ? { additionalProperties } : {}) }
  }
}

/** `too_much_power` and `setFan` as `TooMuchPower` and `SetFan`. */
export function inPascalCase(name: string): string {
  return name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
}

export const json = (schema: object, example?: object) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

export const headerComponents = {
  NoStore: { description: 'A live value: never stored', schema: { type: 'string', const: 'no-store' } },
  NoCache: { description: 'No second cache on top of the one of the service', schema: { type: 'string', const: 'no-cache' } },
  Age: { description: 'Age of the value in seconds', schema: { type: 'integer', minimum: 0 } },
  Allow: { description: 'The methods that are allowed', schema: { type: 'string' } },
  WWWAuthenticate: { description: 'HTTP Basic, and for which realm', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which to try again', schema: { type: 'integer', minimum: 0 } },
  SlotwireHint: { description: 'What was not found, and the nearest thing that exists; for people', schema: { type: 'string' } },
} as const

/** Spec "Authentication", rules 1 to 3. */
export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'basic',
    description: 'The user name is `token`, the password an access token. The loopback door asks for no credentials.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token.' },
} as const

/** One of these must hold: nothing on the loopback door, a token on the network door. */
export const security = [{}, { token: [] }, { bearer: [] }] as const

export const header = (name: keyof typeof headerComponents): Reference => ({ $ref: `#/components/headers/${name}` })

const errorHeaders: Readonly<Record<number, Readonly<Record<string, Reference>>>> = {
  404: { 'Slotwire-Hint': header('SlotwireHint') },
  401: { 'WWW-Authenticate': header('WWWAuthenticate') },
  405: { Allow: header('Allow') },
  429: { 'Retry-After': header('RetryAfter') },
  503: { 'Retry-After': header('RetryAfter') },
}

/** Every error carries its name. */
const nameHeader = (codes: readonly string[]) => ({
  description: 'The name of the error; see docs/errors.md',
  required: true,
  schema: { type: 'string', enum: codes },
})

/** The error responses of all operations; equal ones are stored once. */
export class ErrorResponses {
  readonly #byCodes = new Map<string, string>()
  readonly #schemas: SchemaComponents
  readonly #components: Record<string, Response> = {}

  constructor(schemas: SchemaComponents) {
    this.#schemas = schemas
  }

  get components(): Readonly<Record<string, Response>> {
    return this.#components
  }

  /** A reference to the response for these errors, which all have one status. */
  reference(status: number, errors: readonly ErrorDefinition[]): Reference {
    const codes = errors.map(({ code }) => code)
    const name = this.#byCodes.get(codes.join()) ?? this.#add(status, errors, codes)
    return { $ref: `#/components/responses/${name}` }
  }

  #add(status: number, errors: readonly ErrorDefinition[], codes: readonly string[]): string {
    const others = Object.keys(this.#components).filter((name) => name.startsWith(`Error${status}`)).length
    const name = others === 0 ? `Error${status}` : `Error${status}-${others + 1}`
    const messages = errors.map(({ message }) => message)
    this.#byCodes.set(codes.join(), name)
    this.#components[name] = {
      description: messages.map((message) => (messages.length === 1 ? message : `- ${message}`)).join('\n'),
      headers: { 'Slotwire-Error': nameHeader(codes), ...errorHeaders[status] },
      content: {
        'application/json': {
          schema: this.#schemas.json(errorSchema, 'Error', 'reply'),
          examples: Object.fromEntries(
            errors.map((error) => [error.code, { value: { status: 'error', code: status, message: exampleMessage(error) } }]),
          ),
        },
      },
      'x-error-codes': codes,
    }
    return name
  }
}

/** What a message of the default twin has in its placeholders. */
const DETAILS: Readonly<Record<string, string>> = {
  allowed: 'GET or HEAD',
  asked: 'a request for power',
  attempts: '4',
  bounds: '1…6',
  command: 'GET_VALUES',
  field: 'pin',
  limit: '128',
  method: 'DELETE',
  milliseconds: '2000',
  module: 'io',
  number: '2',
  part: 'its headers',
  pin: '3',
  seconds: '10',
  service: 'io',
  services: 'io',
  slot: '3',
  socket: '/run/slotwire/power.sock',
  supported: '1.0',
  url: 'http://127.0.0.1:8004',
  value: '7',
  version: '2.0',
}
const OTHER_REASON = 'ETIMEDOUT'
/** For placeholders of a module's own. */
const OTHER_VALUE = '1'

/** The message of an error as a client may get it. */
function exampleMessage({ message, example }: Pick<ErrorDefinition, 'message' | 'example'>): string {
  const details: Readonly<Record<string, string>> = { ...DETAILS, reason: OTHER_REASON, ...example }
  return message.replace(/\{(\w+)\}/g, (_, name: string) => details[name] ?? OTHER_VALUE)
}
