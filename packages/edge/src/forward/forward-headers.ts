import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { type Caller, isFromPage } from '@slotwire/service'
import { plainAddress } from '../door/address.ts'

/** Names and values alternately, in original order. */
export type RawHeaders = readonly string[]

/** Headers of one connection (RFC 9110, 7.6.1), in addition to those that `Connection` lists. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** Headers that the forwarder sets itself, or that only its door may check: credentials, and the page that caused the request. */
const REPLACED = new Set([
  'host',
  'content-length',
  'expect',
  'authorization',
  'forwarded',
  'via',
  'x-real-ip',
  'slotwire-access',
  'origin',
  'referer',
])
const REPLACED_PREFIXES = /^(?:x-forwarded-|sec-fetch-)/

/** Name of the header that limits a request's rights. */
const ACCESS = 'Slotwire-Access'
const READ_ONLY = 'read-only'
/** Says that a page sent the request, which the door has accepted. */
const FROM_PAGE = ['Sec-Fetch-Site', 'same-origin']

/** The client to report to a service. */
export interface ForwardClient {
  /** IP address. */
  readonly address: string
  readonly scheme: 'http' | 'https'
  /** Requested host. */
  readonly clientHost: string | undefined
  /** Whether the client may only read. */
  readonly readOnly: boolean
}

/** Data about a request for the service. */
export interface Forwarding extends ForwardClient {
  /** Host of the service. */
  readonly host: string
  /** Name of this forwarder in `Via`. */
  readonly pseudonym: string
}

/** Headers for the service: those of the client without connection headers, and with the forwarder's own. */
export function requestHeaders(request: IncomingMessage, forwarding: Forwarding): string[] {
  const { headers, httpVersion } = request
  const kept = endToEnd(request.rawHeaders, headers.connection, isReplaced)
  const { address, scheme, clientHost, host, pseudonym } = forwarding
  const via = headers.via === undefined ? '' : `${headers.via}, `
  return [
    'Host',
    host,
    ...kept,
    ...framingOf(request),
    'Via',
    `${via}${httpVersion} ${pseudonym}`,
    'X-Forwarded-For',
    address,
    'X-Forwarded-Proto',
    scheme,
    ...(clientHost === undefined ? [] : ['X-Forwarded-Host', clientHost]),
    ...(isFromPage(request) ? FROM_PAGE : []),
    ...(forwarding.readOnly || requestsReadOnly(request) ? [ACCESS, READ_ONLY] : []),
  ]
}

/** Headers for the client: those of the service without connection headers. */
export function responseHeaders(answer: IncomingMessage): string[] {
  const { headers } = answer
  const chunked = headers['transfer-encoding'] !== undefined
  return endToEnd(answer.rawHeaders, headers.connection, (name) => chunked && name === 'content-length')
}

/** Whether the client waits for `100 Continue` before its body. */
export function waitsForContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1'
}

/** Sets the length of the body again, in case `Connection` lists it. */
function framingOf(request: IncomingMessage): string[] {
  const { headers, method } = request
  const length = headers['content-length']
  const expect = waitsForContinue(request) ? ['Expect', '100-continue'] : []
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked', ...expect]
  if (length !== undefined) return ['Content-Length', length, ...expect]
  return method === 'GET' || method === 'HEAD' ? [] : ['Content-Length', '0']
}

/** Whether the client gives up write access; misspelt text counts too, as at every door. */
function requestsReadOnly({ headers }: IncomingMessage): boolean {
  return (headers['slotwire-access'] ?? '') !== ''
}

/** Also for servers that treat `-` and `_` as equal. */
function isReplaced(name: string): boolean {
  const plain = name.replaceAll('_', '-')
  return REPLACED.has(plain) || REPLACED_PREFIXES.test(plain)
}

function endToEnd(raw: RawHeaders, connection: string | undefined, isOmitted: (name: string) => boolean): string[] {
  const listed = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string
    const lower = name.toLowerCase()
    if (HOP_BY_HOP.has(lower) || listed.has(lower) || isOmitted(lower)) continue
    kept.push(name, raw[index + 1] as string)
  }
  return kept
}

/**
 * The client as the door identified it. If its address differs from the connection's, the door trusted a proxy: then the proxy's headers
 * for scheme and host are used too.
 */
export function clientOf({ socket, headers }: IncomingMessage, caller: Caller | undefined): ForwardClient {
  const peer = canonical(socket.remoteAddress ?? '')
  const address = caller === undefined ? peer : canonical(caller.address)
  const isProxied = address !== peer
  const encrypted = socket instanceof TLSSocket || (isProxied && headers['x-forwarded-proto'] === 'https')
  const forwardedHost = isProxied ? headers['x-forwarded-host'] : undefined
  return {
    address,
    scheme: encrypted ? 'https' : 'http',
    clientHost: typeof forwardedHost === 'string' ? forwardedHost : headers.host,
    readOnly: caller?.readOnly === true,
  }
}

/** Canonical form, so that a caller's address differs from its connection's only if it is another address. */
function canonical(address: string): string {
  return plainAddress(address) ?? address
}
