import { API_VERSION, type Endpoint } from '@slotwire/contract'

/** Version segments that a service's version root and its resources have; behaviour.md "Versions, paths, methods". */
export type VersionSupport = 'resources' | 'root-only' | 'unsupported' | 'no-version'

const DECIMAL = /^(?:0|[1-9]\d*)$/
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** A whole number written plainly, as slots and pins are; undefined for anything else (`05`, `+5`, `5.0`). */
export function decimalOf(segment: string): number | undefined {
  return DECIMAL.test(segment) ? Number(segment) : undefined
}

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

/**
 * The segments of a request's path, decoded, trailing slash and query left out; a target that is no path (`*`) stays whole.
 * Undefined when the encoding is none.
 */
export function pathSegments(url: string): readonly string[] | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  try {
    return (trimmed.startsWith('/') ? trimmed.slice(1) : trimmed).split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/**
 * The parameters of a path that an endpoint's path describes, as written and in order; undefined if it is another path.
 * A parameter takes a decimal number only.
 */
export function matchPath(
  endpoint: Pick<Endpoint, 'path'>,
  segments: readonly string[],
): Readonly<Record<string, number>> | undefined {
  const pattern = endpoint.path.slice(1).split('/')
  if (pattern.length !== segments.length) return undefined
  const parameters: Record<string, number> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] as string
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      if (part !== segment) return undefined
      continue
    }
    const value = decimalOf(segment)
    if (value === undefined) return undefined
    parameters[name] = value
  }
  return parameters
}

/** An endpoint's path in the router's notation: `/notification/:pin`. */
export function routerPath(endpoint: Pick<Endpoint, 'path'>): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Methods that an endpoint answers: HEAD where GET has no effect. */
export function methodsOf(endpoint: Pick<Endpoint, 'method' | 'effect'>): readonly string[] {
  return endpoint.method === 'GET' && endpoint.effect === 'read' ? ['GET', 'HEAD'] : [endpoint.method]
}
