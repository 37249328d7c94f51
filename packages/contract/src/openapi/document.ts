import type { Contract, Endpoint } from '../endpoint.ts'
import type { Extension } from '../endpoint-kinds.ts'
import { genericEndpoints, servicePath, versionRoot } from '../generic-endpoints.ts'
import { processEndpoints } from '../process-endpoints.ts'
import { ErrorResponses, headerComponents, SchemaComponents, security, securitySchemes } from './components.ts'
import { type Components, operation, type Place } from './operation.ts'

interface OpenApiOptions {
  /** Version of the service that the document describes. */
  readonly version: string
  readonly title?: string
}

/** Names of generic endpoints as a client would call them. */
const GENERIC_NAMES: Readonly<Record<string, string>> = { reset: 'resetModule', descriptor: 'getDescriptor' }
const HEALTH_TAG = { name: 'health', description: 'State of the process, beside the API of the modules.' }

const DESCRIPTION = [
  'Hardware modules in the numbered slots of a device, over HTTP and JSON. Names are case sensitive; trailing slashes are accepted.',
  'Check the version and select the device first; call reset before any write. Only one application at a time may write.',
  'On the device itself (http://127.0.0.1 and http://localhost) no credentials are needed. From the network every request carries an access token: `Authorization: Bearer <token>`, or HTTP Basic with the user name `token` and the token as password; a token may be read-only. `Slotwire-Access: read-only` makes any request so: what it would change is refused (403), notifications stay pending.',
  'Clients judge by the HTTP status, or by the error name in `Slotwire-Error`: a proxy may change the body of an error. Ignore fields of a reply that you do not know: a later version may add some.',
].join('\n\n')

type PathItem = { readonly [Method in 'get' | 'post' | 'put' | 'delete']?: ReturnType<typeof operation> }
type Add = (path: string, endpoint: Endpoint, place: Place) => void

/**
 * The OpenAPI 3.1 document of these services, made from the contracts only. Its order is that of the reference page: the modules of the last
 * slots first, the mainboard in slot 0 last.
 */
export function openApiDocument(contractList: readonly Contract[], { version, title = 'Slotwire' }: OpenApiOptions) {
  const contracts = contractList.toSorted((one, other) => lastSlot(other) - lastSlot(one))
  const info = { title, version, description: DESCRIPTION, tags: [...contracts.map(tagOf), HEALTH_TAG] }
  return documentOf(info, (add) => addServices(contracts, add))
}

/** The OpenAPI 3.1 document of one extension. */
export function extensionDocument(
  { name: tag, description, endpoints }: Extension,
  { version, title = 'Slotwire' }: OpenApiOptions,
) {
  return documentOf({ title: `${title} ${tag}`, version, description, tags: [{ name: tag, description }] }, (add) => {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      add(endpoint.path, endpoint, { tag, operationId: `${tag}.${name}`, level: 'extension' })
    }
  })
}

function addServices(contracts: readonly Contract[], add: Add): void {
  for (const { service, defaultSlots, endpoints } of contracts) {
    const base = servicePath(service)
    add(`${base}${versionRoot.path}`, versionRoot, { tag: service, operationId: `${service}.listDevices`, level: 'service' })
    for (const [name, endpoint] of Object.entries<Endpoint>({ ...endpoints, ...genericEndpoints })) {
      add(`${base}/{slot}${endpoint.path}`, endpoint, {
        tag: service,
        operationId: `${service}.${GENERIC_NAMES[name] ?? name}`,
        level: 'slot',
        exampleSlot: defaultSlots.at(-1),
      })
    }
  }
  for (const [name, endpoint] of Object.entries<Endpoint>(processEndpoints)) {
    add(endpoint.path, endpoint, { tag: HEALTH_TAG.name, operationId: `health.${name}`, level: 'process' })
  }
}

function documentOf(
  {
    tags,
    ...info
  }: Required<OpenApiOptions> & { readonly description: string; readonly tags: readonly ReturnType<typeof tagOf>[] },
  fill: (add: Add) => void,
) {
  const schemas = new SchemaComponents()
  const components: Components = { schemas, responses: new ErrorResponses(schemas) }
  const { responses } = components
  const paths: Record<string, PathItem> = {}
  fill((path, endpoint, place) => {
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, place, components) }
  })
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security,
    tags,
    paths,
    components: {
      schemas: schemas.components,
      responses: responses.components,
      headers: headerComponents,
      securitySchemes,
    },
  }
}

function lastSlot({ defaultSlots }: Contract): number {
  return defaultSlots.at(-1) ?? 0
}

function tagOf({ service, title, description }: Contract) {
  return { name: service, description: `${title}: ${description}` }
}
