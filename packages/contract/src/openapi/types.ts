import type { MediaType } from '../endpoint.ts'

/** The part of OpenAPI 3.1 that the document uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly SecurityRequirement[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, unknown>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

/** Security schemes that a request must satisfy together, with their scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export type PathItem = { readonly [Method in 'get' | 'post' | 'put' | 'delete']?: Operation }

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  /** By status. */
  readonly responses: Readonly<Record<string, Response | Reference>>
  readonly 'x-spec': string
  readonly 'x-effect': string
  /** How it can hurt a running device. */
  readonly 'x-danger'?: string
}

export interface RequestBody {
  readonly required: boolean
  readonly content: Content
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'header' | 'query'
  readonly required: boolean
  readonly description: string
  readonly schema: unknown
  readonly example?: unknown
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content: Content
  /** Rows of the error table that lead to this response. */
  readonly 'x-error-codes'?: readonly string[]
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: unknown
}

export type Content = { readonly [Type in MediaType]?: MediaTypeObject }

interface MediaTypeObject {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface Reference {
  readonly $ref: string
}
