import { type Contract, type Effect, genericEndpoints } from '@slotwire/contract'
import { mergeSlashes, pathSegments, placeOf, segmentsPlace } from '@slotwire/service'

/** Destination of a request. */
export interface ForwardTarget {
  /** Name of the service, as in the path. */
  readonly service: string
  /** Path and query without scheme and authority, with runs of slashes as one. */
  readonly path: string
  /** Effect of the request; undefined: unknown. */
  readonly effect: Effect | undefined
}

/** Decoded segments that another server may read as a parent folder or as several segments. The API has no such paths. */
export const AMBIGUOUS = /^\.{1,2}$|[/\\\0]/

/** The service of a path below `/api/`, split as the services do, with the effect of its endpoint; undefined for other paths. */
export function forwardTarget(method: string, url: string, contracts: readonly Contract[]): ForwardTarget | undefined {
  const segments = pathSegments(url)
  const [root, service, ...rest] = segments ?? []
  if (root !== 'api' || service === undefined || service === '') return undefined
  if (rest.some((segment) => AMBIGUOUS.test(segment))) return undefined
  const contract = contracts.find((known) => known.service === service)
  return { service, path: originForm(url), effect: contract === undefined ? undefined : effectOf(method, rest, contract) }
}

/** `segments` follow the service: version, slot and the endpoint's own. */
function effectOf(method: string, segments: readonly string[], contract: Contract): Effect | undefined {
  if (method === 'POST') return 'write'
  if (method === 'HEAD') return 'read'
  if (method !== 'GET') return undefined
  // The service's own page with versions and devices.
  if (segments.length <= 1) return 'read'
  const endpoints = [...Object.values(genericEndpoints), ...Object.values(contract.endpoints)]
  const { place } = segmentsPlace(segments.slice(2))
  return endpoints.find((endpoint) => endpoint.method === 'GET' && placeOf(endpoint.path) === place)?.effect
}

/** The origin form of a target, as sent to a server (RFC 9112, 3.2.1). */
function originForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^[^?#]*/, mergeSlashes)
  return path.startsWith('/') ? path : `/${path}`
}
