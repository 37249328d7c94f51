import { type Contract, type Effect, genericEndpoints } from '@slotwire/contract'
import { pathSegments, placeOf, segmentsPlace } from '@slotwire/service'

/** Where a request goes. */
export interface ForwardTarget {
  /** Name of the service, as its path segment has it. */
  readonly service: string
  /** Path and query as they were sent, without scheme and authority. */
  readonly path: string
  /** What the request does; undefined: nobody knows. */
  readonly effect: Effect | undefined
}

/** Decoded segments that another server may take for a step up or for several: no path of the API has them. */
const AMBIGUOUS = /^\.{1,2}$|[/\\\0]/

/**
 * The service below `/api/` that a request is for, told from the path as the services themselves split it; undefined for any other path.
 * Its effect is that of the contracts' endpoints.
 */
export function forwardTarget(method: string, url: string, contracts: readonly Contract[]): ForwardTarget | undefined {
  const segments = pathSegments(url)
  const [root, service, ...rest] = segments ?? []
  if (root !== 'api' || service === undefined || service === '') return undefined
  if (rest.some((segment) => AMBIGUOUS.test(segment))) return undefined
  const contract = contracts.find((known) => known.service === service)
  return { service, path: originForm(url), effect: contract === undefined ? undefined : effectOf(method, rest, contract) }
}

/** `segments` are those behind the service: version, slot and the endpoint's own. */
function effectOf(method: string, segments: readonly string[], contract: Contract): Effect | undefined {
  if (method === 'POST') return 'write'
  if (method === 'HEAD') return 'read'
  if (method !== 'GET') return undefined
  // The service's own page: its versions and devices.
  if (segments.length <= 1) return 'read'
  const endpoints = [...Object.values(genericEndpoints), ...Object.values(contract.endpoints)]
  const { place } = segmentsPlace(segments.slice(2))
  return endpoints.find((endpoint) => endpoint.method === 'GET' && placeOf(endpoint.path) === place)?.effect
}

/** What a server, as opposed to a proxy, is asked for (RFC 9112, 3.2.1). */
function originForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
