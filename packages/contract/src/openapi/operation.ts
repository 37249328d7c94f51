import type { ErrorDefinition } from '@slotwire/core'
import type { Endpoint, QueryParameter } from '../endpoint.ts'
import { type EndpointLevel, isBodyOptional, isGuarded } from '../endpoint-kinds.ts'
import { possibleErrors } from '../possible-errors.ts'
import {
  type ErrorResponses,
  header,
  inPascalCase,
  json,
  type Reference,
  type Response,
  type SchemaComponents,
} from './components.ts'

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
export function operation(endpoint: Endpoint, place: Place, { schemas, responses }: Components) {
  const parameters = parametersOf(endpoint, place)
  const { summary, description, danger } = endpoint
  const body = requestBody(endpoint, place, schemas)
  const statuses: Readonly<Record<string, Response | Reference>> = {
    200: success(endpoint, place, schemas),
    ...errorsOf(possibleErrors(endpoint, place.level), responses),
  }
  return {
    operationId: place.operationId,
    tags: [place.tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: statuses,
    'x-spec': endpoint.spec,
    'x-effect': endpoint.effect,
    ...(danger === undefined ? {} : { 'x-danger': danger }),
  }
}

/** A number in the path, as in `PathParameter`; that of the slot has no highest value. */
interface NumberInPath {
  readonly description: string
  readonly min: number
  readonly max?: number
  readonly example: number | undefined
}

function numberInPath(name: string, { description, min, max, example }: NumberInPath) {
  return { name, in: 'path', required: true, description, schema: { type: 'integer', minimum: min, maximum: max }, example }
}

type TextParameter = Partial<QueryParameter> & Pick<QueryParameter, 'description'>

function textParameter(place: 'header' | 'query', name: string, { description, isRequired, example }: TextParameter) {
  return { name, in: place, required: isRequired === true, description, schema: { type: 'string' }, example }
}

const CACHE_CONTROL = textParameter('header', 'Cache-Control', {
  description: '`no-cache`: a value read from the module after the request arrived',
  example: 'no-cache',
})
/** Of every write that leases and preconditions can refuse. */
const GUARD_HEADERS = [
  textParameter('header', 'If-Match', {
    description: '`device_session` in double quotes: 412, and nothing is done, if the module has another session',
  }),
  textParameter('header', 'Slotwire-Lease', { description: 'the secret of the lease, if the slot is leased' }),
]

function parametersOf({ parameters = {}, query = {}, headers = {}, ...endpoint }: Endpoint, { level, exampleSlot }: Place) {
  const slot = numberInPath('slot', { description: 'a `slot_number` of the version root', min: 0, example: exampleSlot })
  return [
    ...(level === 'slot' ? [slot] : []),
    ...Object.entries(parameters).map(([name, parameter]) => numberInPath(name, parameter)),
    ...Object.entries(query).map(([name, parameter]) => textParameter('query', name, parameter)),
    ...(endpoint.caching === 'one-second' ? [CACHE_CONTROL] : []),
    ...(isGuarded(endpoint, level) ? GUARD_HEADERS : []),
    ...Object.entries(headers).map(([name, description]) => textParameter('header', name, { description, isRequired: true })),
  ]
}

/** The name of the body or reply of an operation that has none: `IoSetOutputStateRequest`. */
function nameOf({ operationId }: Place, end: string): string {
  return operationId.split('.').map(inPascalCase).join('') + end
}

function requestBody(endpoint: Endpoint, place: Place, schemas: SchemaComponents) {
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
