import type { ErrorDefinition } from '@slotwire/core'
import type { Endpoint } from '../endpoint.ts'
import { type EndpointLevel, isGuarded } from '../endpoint-kinds.ts'
import { isBodyOptional } from '../extension.ts'
import { possibleErrors } from '../possible-errors.ts'
import { type ErrorResponses, header, inPascalCase, json, type SchemaComponents } from './components.ts'
import type { Operation, Parameter, Reference, RequestBody, Response } from './types.ts'

/** What an operation needs to know about the place of its endpoint. */
export interface Place {
  readonly tag: string
  readonly operationId: string
  readonly level: EndpointLevel
  /** At `slot` level: an example slot. */
  readonly exampleSlot?: number | undefined
}

/** The components that operations refer to. */
export interface Components {
  readonly schemas: SchemaComponents
  readonly responses: ErrorResponses
}

/** One endpoint as an operation of the document. */
export function operation(endpoint: Endpoint, place: Place, { schemas, responses }: Components): Operation {
  const parameters = parametersOf(endpoint, place)
  const { summary, description, danger } = endpoint
  const body = requestBody(endpoint, place, schemas)
  return {
    operationId: place.operationId,
    tags: [place.tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { 200: success(endpoint, place, schemas), ...errorsOf(possibleErrors(endpoint, place.level), responses) },
    'x-spec': endpoint.spec,
    'x-effect': endpoint.effect,
    ...(danger === undefined ? {} : { 'x-danger': danger }),
  }
}

/** Of every write that leases and preconditions can refuse. */
const GUARD_HEADERS: readonly Parameter[] = [
  headerParameter('If-Match', '`device_session` in double quotes: 412, and nothing is done, if the module has another session'),
  headerParameter('Slotwire-Lease', 'the secret of the lease, if the slot is leased'),
]

function headerParameter(name: string, description: string, required = false): Parameter {
  return { name, in: 'header', required, description, schema: { type: 'string' } }
}

function parametersOf(endpoint: Endpoint, place: Place): Parameter[] {
  const slot: Parameter = {
    name: 'slot',
    in: 'path',
    required: true,
    description: 'a `slot_number` of the version root',
    schema: { type: 'integer', minimum: 0 },
    example: place.exampleSlot,
  }
  const own = Object.entries(endpoint.parameters ?? {}).map(
    ([name, { description, min, max, example }]): Parameter => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'integer', minimum: min, maximum: max },
      example,
    }),
  )
  const query = Object.entries(endpoint.query ?? {}).map(
    ([name, { description, example, isRequired = false }]): Parameter => ({
      name,
      in: 'query',
      required: isRequired,
      description,
      schema: { type: 'string' },
      example,
    }),
  )
  const cacheControl: Parameter = {
    name: 'Cache-Control',
    in: 'header',
    required: false,
    description: '`no-cache`: a value read from the module after the request arrived',
    schema: { type: 'string' },
    example: 'no-cache',
  }
  return [
    ...(place.level === 'slot' ? [slot] : []),
    ...own,
    ...query,
    ...(endpoint.caching === 'one-second' ? [cacheControl] : []),
    ...(isGuarded(endpoint, place.level) ? GUARD_HEADERS : []),
    ...Object.entries(endpoint.headers ?? {}).map(([name, description]) => headerParameter(name, description, true)),
  ]
}

/** The name of the body or reply of an operation that has none: `IoSetOutputStateRequest`. */
function nameOf({ operationId }: Place, end: string): string {
  return operationId.split('.').map(inPascalCase).join('') + end
}

function requestBody(endpoint: Endpoint, place: Place, schemas: SchemaComponents): RequestBody | undefined {
  if (endpoint.body === undefined) return undefined
  const required = place.level !== 'extension' || !isBodyOptional(endpoint)
  return { required, content: json(schemas.json(endpoint.body, nameOf(place, 'Request'), 'body'), endpoint.example) }
}

function success(endpoint: Endpoint, place: Place, schemas: SchemaComponents): Response {
  const headers =
    endpoint.caching === 'one-second'
      ? { Age: header('Age'), 'Cache-Control': header('NoCache') }
      : { 'Cache-Control': header('NoStore') }
  const { mediaType = 'application/json', reply, jsonReply } = endpoint
  return {
    description: 'Done',
    headers,
    content: {
      [mediaType]: { schema: schemas.json(reply, nameOf(place, 'Reply'), 'reply') },
      ...(jsonReply && json(schemas.json(jsonReply, nameOf(place, 'JsonReply'), 'reply'))),
    },
  }
}

function errorsOf(definitions: readonly ErrorDefinition[], responses: ErrorResponses): Record<string, Reference> {
  const statuses = [...new Set(definitions.map(({ status }) => status))]
  return Object.fromEntries(
    statuses.map((status) => {
      const errors = definitions.filter((definition) => definition.status === status)
      return [status, responses.reference(status, errors)]
    }),
  )
}
