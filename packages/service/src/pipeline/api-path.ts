import { API_VERSION, type Endpoint, rangeText } from '@slotwire/contract'
import { coreErrors, orElse } from '@slotwire/core'

/** What is served below a version segment; behaviour.md "Versions, paths, methods". */
export type VersionSupport = 'resources' | 'root-only' | 'unsupported' | 'no-version'

/** A number in canonical form, as in slots and pins: not `05`, `+5`, `5.0`. */
const DECIMAL = /^(?:0|[1-9]\d*)$/
/** A target that is only a path. */
const PLAIN_PATH = /^\/[^?#]*$/
/** The part of an absolute target before its path. A target with a user name is refused (RFC 9110, 4.2.4). */
const ORIGIN = /^https?:\/\/[^/?#@]*(?=[/?#]|$)/i
/** More than any path that is served has: what follows changes no answer. */
const MAX_SEGMENTS = 16
const SLASHES = /\/+/
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** What is served below a version segment: resources up to our minor version, the root at any minor version. */
export function versionSupport(segment: string): VersionSupport {
  const match = VERSION.exec(segment)
  if (match === null) return 'no-version'
  if (Number(match[1]) !== API_VERSION.major) return 'unsupported'
  return Number(match[2]) <= API_VERSION.minor ? 'resources' : 'root-only'
}

/** Version segments of resources: `1.0` and, with later versions, every minor version up to ours. */
export const RESOURCE_VERSIONS: readonly string[] = Array.from(
  { length: API_VERSION.minor + 1 },
  (_, minor) => `${API_VERSION.major}.${minor}`,
)

/** The highest supported version, for messages: `1.0`. */
export const SUPPORTED_VERSION = RESOURCE_VERSIONS.at(-1) as string

/** Path of a request. */
export interface RequestPath {
  /** Decoded segments. */
  readonly segments: readonly string[]
  /** The path with `{}` for each decimal number, like `placeOf` of a contract's path. */
  readonly place: string
  /** The numbers, as text. */
  readonly values: readonly string[]
}

const PARAMETER = /\{\w+\}/g
/** Characters that only an encoded segment can contain, and no place does. */
const NOT_IN_A_PLACE = /[/{}]/
/** Segments of a service's root with its version: `/api/io/1.0`. The version is a parameter there. */
const VERSION_ROOT_LENGTH = 3

/** Place of a path, independent of parameter names: `/api/io/1.0/{}/notification/{}`. */
export function placeOf(path: string): string {
  return path.replaceAll(PARAMETER, '{}')
}

/** Parses the target of a request; undefined if its percent-encoding is invalid. */
export function parseRequestPath(url: string): RequestPath | undefined {
  const segments = pathSegments(url)
  if (segments === undefined) return undefined
  const [root, service = '', version = ''] = segments
  if (segments.length === VERSION_ROOT_LENGTH && root === 'api' && !NOT_IN_A_PLACE.test(service)) {
    return { segments, place: `/api/${service}`, values: [version] }
  }
  return { segments, ...segmentsPlace(segments) }
}

/** Place of decoded segments, and the numbers in them. */
export function segmentsPlace(segments: readonly string[]): Pick<RequestPath, 'place' | 'values'> {
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
 * The decoded segments of a request's path, without trailing slash and query. A run of slashes counts as one, an encoded slash (`%2F`) as a
 * character. A target that is not a path (`*`) becomes one segment. Undefined if the encoding is invalid.
 */
export function pathSegments(url: string): readonly string[] | undefined {
  const path = PLAIN_PATH.test(url) ? url : url.replace(ORIGIN, '').replace(/[?#].*$/s, '')
  // A long path costs little: its end is not split.
  const parts = path.split(path.includes('//') ? SLASHES : '/', MAX_SEGMENTS + 1)
  if (parts.length > 1 && parts[0] === '') parts.shift()
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  const segments = parts.slice(0, MAX_SEGMENTS)
  return path.includes('%') ? orElse(undefined, () => segments.map(decodeURIComponent)) : segments
}

/** Methods of an endpoint: HEAD too where GET has no effect. */
export function methodsOf(endpoint: Pick<Endpoint, 'method' | 'effect'>): readonly string[] {
  return endpoint.method === 'GET' && endpoint.effect === 'read' ? ['GET', 'HEAD'] : [endpoint.method]
}

type Numbers = Readonly<Record<string, number>>

const NAME = /\{(\w+)\}/g
const NO_NUMBERS: Numbers = {}

/**
 * Creates a function that names the numbers in a path. `first`: values before those of the endpoint's own path. Throws `noSuchItem` for a
 * number out of range: the item does not exist.
 */
export function parameterReader(
  { path, parameters = {} }: Pick<Endpoint, 'path' | 'parameters'>,
  first = 0,
): (values: readonly string[]) => Numbers {
  const ranges = [...path.matchAll(NAME)].map(([, name = '']) => ({ name, ...parameters[name] }))
  if (ranges.length === 0) return () => NO_NUMBERS
  return (values) => {
    const numbers: Record<string, number> = {}
    for (const [index, { name, min = 0, max = Number.POSITIVE_INFINITY }] of ranges.entries()) {
      const text = values[first + index] ?? ''
      const value = Number(text)
      if (value < min || value > max) throw coreErrors.noSuchItem({ field: name, value: text, bounds: rangeText({ min, max }) })
      numbers[name] = value
    }
    return numbers
  }
}
