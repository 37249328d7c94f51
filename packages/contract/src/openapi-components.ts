import type { ErrorDefinition } from '@slotwire/core'
import type { Content, Reference, Response, SecurityRequirement } from './openapi-types.ts'
import type { Schema } from './schema.ts'
import { descriptorSchema, errorSchema, successSchema, versionAndDevicesSchema, versionSchema } from './schemas.ts'

const sharedSchemas: ReadonlyMap<Schema, string> = new Map<Schema, string>([
  [successSchema, 'Success'],
  [errorSchema, 'Error'],
  [versionSchema, 'Version'],
  [versionAndDevicesSchema, 'VersionAndDevices'],
  [descriptorSchema, 'Descriptor'],
])

/** The JSON of a schema in the document; a shared schema becomes a reference. */
export function schemaJson(schema: Schema): unknown {
  const name = sharedSchemas.get(schema)
  return name === undefined ? expanded(schema) : { $ref: `#/components/schemas/${name}` }
}

function expanded(schema: Schema): object {
  if (schema.type === 'array') return { ...schema, items: schemaJson(schema.items) }
  if (schema.type !== 'object') return schema
  const properties = Object.entries(schema.properties).map(([name, property]) => [name, schemaJson(property)] as const)
  return { ...schema, properties: Object.fromEntries(properties) }
}

export function sharedSchemaComponents(): Record<string, unknown> {
  return Object.fromEntries([...sharedSchemas].map(([schema, name]) => [name, expanded(schema)]))
}

export const json = (schema: unknown, example?: unknown): Content => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

export const headerComponents = {
  NoStore: { description: 'A live value: never stored', schema: { type: 'string', const: 'no-store' } },
  NoCache: { description: 'No second cache on top of the one of the service', schema: { type: 'string', const: 'no-cache' } },
  Age: { description: 'Age of the value in seconds', schema: { type: 'integer', minimum: 0 } },
  Allow: { description: 'The methods that are allowed', schema: { type: 'string' } },
  WWWAuthenticate: { description: 'HTTP Basic, and for which realm', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which to try again', schema: { type: 'integer', minimum: 0 } },
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
export const security: readonly SecurityRequirement[] = [{}, { token: [] }, { bearer: [] }]

export const header = (name: keyof typeof headerComponents): Reference => ({ $ref: `#/components/headers/${name}` })

const errorHeaders: Readonly<Record<number, Readonly<Record<string, Reference>>>> = {
  401: { 'WWW-Authenticate': header('WWWAuthenticate') },
  405: { Allow: header('Allow') },
  429: { 'Retry-After': header('RetryAfter') },
  503: { 'Retry-After': header('RetryAfter') },
}

/** The error responses of all operations; equal ones are stored once. */
export class ErrorResponses {
  readonly #byCodes = new Map<string, string>()
  readonly #components: Record<string, Response> = {}

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
      ...(errorHeaders[status] === undefined ? {} : { headers: errorHeaders[status] }),
      content: json(schemaJson(errorSchema), { status: 'error', code: status, message: messages[0] }),
      'x-error-codes': codes,
    }
    return name
  }
}
