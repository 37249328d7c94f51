import { API_VERSION, type Endpoint } from '@slotwire/contract'

/** Version segments that a service's version root and its resources have; behaviour.md "Versions, paths, methods". */
export type VersionSupport = 'resources' | 'root-only' | 'unsupported' | 'no-version'

/** A whole number written plainly, as slots and pins are: not `05`, `+5`, `5.0`. */
const DECIMAL = /^(?:0|[1-9]\d*)$/
/** A target that is a path alone. */
const PLAIN_PATH = /^\/[^?#]*$/
/** What stands before the path of an absolute target. One that names a user is no target here (RFC 9110, 4.2.4). */
const ORIGIN = /^https?:\/\/[^/?#@]*(?=[/?#]|$)/i
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** What is served below a version segment: resources at every minor up to ours, the root at any minor. */
export function versionSupport(segment: string): VersionSupport {
  const match = VERSION.exec(segment)
  if (match === null) return 'no-version'
  if (Number(match[1]) !== API_VERSION.major) return 'unsupported'
  return Number(match[2]) <= API_VERSION.minor ? 'resources' : 'root-only'
}

/** The version segments at which resources are served: `1.0` and, with later versions, every minor up to ours. */
export const RESOURCE_VERSIONS: readonly string[] = Array.from(
  { length: API_VERSION.minor + 1 },
  (_, minor) => `${API_VERSION.major}.${minor}`,
)

/** The highest version served, for messages: `1.0`. */
export const SUPPORTED_VERSION = RESOURCE_VERSIONS.at(-1) as string

/** A request's path. */
export interface AskedPath {
  /** Decoded. */
  readonly segments: readonly string[]
  /** The path with `{}` for each decimal number, as `placeOf` has that of a contract. */
  readonly place: string
  /** The numbers, as they were written. */
  readonly values: readonly string[]
}

const PARAMETER = /\{\w+\}/g
/** What only an encoded segment can hold, and what no place has. */
const NOT_IN_A_PLACE = /[/{}]/
/** Segments of the root of a service with its version: `/api/io/1.0`. The version is a parameter there. */
const VERSION_ROOT_LENGTH = 3

/** Where a path is served, whatever its parameters are called: `/api/io/1.0/{}/notification/{}`. */
export function placeOf(path: string): string {
  return path.replaceAll(PARAMETER, '{}')
}

/** What a request's target asks for; undefined when its percent-encoding is none. */
export function askedPath(url: string): AskedPath | undefined {
  const segments = pathSegments(url)
  if (segments === undefined) return undefined
  const [root, service = '', version = ''] = segments
  if (segments.length === VERSION_ROOT_LENGTH && root === 'api' && !NOT_IN_A_PLACE.test(service)) {
    return { segments, place: `/api/${service}`, values: [version] }
  }
  return { segments, ...segmentsPlace(segments) }
}

/** Where decoded segments are served, and the numbers among them. */
export function segmentsPlace(segments: readonly string[]): Pick<AskedPath, 'place' | 'values'> {
  const values: string[] = []
  let place = ''
  for (const segment of segments) {
    if (DECIMAL.test(segment)) {
      values.push(segment)
      place += '/{}'
    } else {
      place += NOT_IN_A_PLACE.test(segment) ? '/{' : `/${segment}`
    }
  }
  return { place, values }
}

/**
 * The segments of a request's path, decoded, trailing slash and query left out; a target that is no path (`*`) stays whole.
 * Undefined when the encoding is none.
 */
export function pathSegments(url: string): readonly string[] | undefined {
  const path = PLAIN_PATH.test(url) ? url : url.replace(ORIGIN, '').replace(/[?#].*$/s, '')
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  const segments = (trimmed.startsWith('/') ? trimmed.slice(1) : trimmed).split('/')
  if (!trimmed.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Methods that an endpoint answers: HEAD where GET has no effect. */
export function methodsOf(endpoint: Pick<Endpoint, 'method' | 'effect'>): readonly string[] {
  return endpoint.method === 'GET' && endpoint.effect === 'read' ? ['GET', 'HEAD'] : [endpoint.method]
}
