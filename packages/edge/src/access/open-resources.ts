import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from '@slotwire/service'

/** Paths of the open resources. */
export interface OpenPaths {
  readonly machineId: string
  readonly tlsCa: string
}

/** What everybody may read, so that a device can be told from others and trusted; spec "Discovery" and "Authentication". */
export interface OpenResources {
  /** Where they are, as the settings have it now. */
  readonly paths: () => OpenPaths
  readonly machineId: () => string
  /** Certificate of the authority in PEM; undefined while there is none. */
  readonly tlsCa: () => string | undefined
}

const METHODS = ['GET', 'HEAD']
const TEXT_TYPE = 'text/plain; charset=utf-8'
/** Of certificates in PEM (RFC 8555, 9.1). */
const PEM_TYPE = 'application/pem-certificate-chain'

/** Which of the open resources a path names; undefined: none. `segments` are those of `pathSegments`. */
export function openResourceAt(segments: readonly string[], paths: OpenPaths): keyof OpenPaths | undefined {
  const path = `/${segments.join('/')}`
  if (path === paths.machineId) return 'machineId'
  return path === paths.tlsCa ? 'tlsCa' : undefined
}

/** Whether a request with this method reads. */
export function isReading(method: string): boolean {
  return METHODS.includes(method)
}

/** The answer to every other method. */
export function onlyReadable(method: string): Answer {
  const error = coreErrors.methodNotAllowed({ method, allowed: METHODS.join(' or ') })
  return errorAnswer(error, { allow: METHODS.join(', ') })
}

/** The answer to a request for an open resource; undefined: the path is none of theirs. */
export function openAnswer(method: string, segments: readonly string[], resources: OpenResources): Answer | undefined {
  const name = openResourceAt(segments, resources.paths())
  if (name === undefined) return undefined
  if (!isReading(method)) return onlyReadable(method)
  const body = resources[name]()
  if (body === undefined) return errorAnswer(coreErrors.notFound())
  const type = name === 'tlsCa' ? PEM_TYPE : TEXT_TYPE
  // Trust is in the current one.
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body }
}
