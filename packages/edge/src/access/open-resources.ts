import type { IncomingMessage } from 'node:http'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer, isAppPath, pathSegments, wantsHtml } from '@slotwire/service'

/** Paths of the open resources. */
export interface OpenPaths {
  readonly machineId: string
  readonly tlsCa: string
}

/** Resources without credentials, to identify a device and to trust it; spec "Discovery" and "Authentication". */
export interface OpenResources {
  /** The paths in the present settings. */
  readonly paths: () => OpenPaths
  readonly machineId: () => string
  /** Certificate of the authority in PEM; undefined before it exists. */
  readonly tlsCa: () => string | undefined
}

/** Decoded segments that another server may read as a parent folder or as several segments. The API has no such paths. */
export const AMBIGUOUS = /^\.{1,2}$|[/\\\0]/

const METHODS = ['GET', 'HEAD']
const TEXT_TYPE = 'text/plain; charset=utf-8'
/** Media type of certificates in PEM (RFC 8555, 9.1). */
const PEM_TYPE = 'application/pem-certificate-chain'

/** The open resource at a path; undefined for other paths. `segments` as from `pathSegments`. */
export function openResourceAt(segments: readonly string[], paths: OpenPaths): keyof OpenPaths | undefined {
  const path = `/${segments.join('/')}`
  if (path === paths.machineId) return 'machineId'
  return path === paths.tlsCa ? 'tlsCa' : undefined
}

/** Whether this method only reads. */
export function isReading(method: string): boolean {
  return METHODS.includes(method)
}

/**
 * Whether a request reads the page for browsers or one of its files. They are part of the program and hold nothing of the device. `headers`
 * are those of the client: programs that read `/` without asking for a page get its services.
 */
export function isForPage(
  { method = '', url = '' }: { readonly method?: string | undefined; readonly url?: string | undefined },
  headers: Pick<IncomingMessage['headers'], 'accept'>,
): boolean {
  const segments = isReading(method) ? pathSegments(url) : undefined
  if (segments === undefined || segments.some((segment) => AMBIGUOUS.test(segment))) return false
  return isAppPath(segments) || (segments.length === 1 && segments[0] === '' && wantsHtml(headers))
}

/** The response to other methods. */
export function onlyReadable(method: string): Answer {
  const error = coreErrors.methodNotAllowed({ method, allowed: METHODS.join(' or ') })
  return errorAnswer(error, { allow: METHODS.join(', ') })
}

/** The response for an open resource; undefined if the path is not one. */
export function openAnswer(method: string, segments: readonly string[], resources: OpenResources): Answer | undefined {
  const name = openResourceAt(segments, resources.paths())
  if (name === undefined) return undefined
  if (!isReading(method)) return onlyReadable(method)
  const body = resources[name]()
  if (body === undefined) return errorAnswer(coreErrors.notFound({ hint: 'this device has no certificate authority yet' }))
  const type = name === 'tlsCa' ? PEM_TYPE : TEXT_TYPE
  // Never cache: clients must see the present authority.
  const headers = { 'content-type': type, 'cache-control': 'no-store' }
  return { status: 200, headers, body }
}
