import type { IncomingMessage } from 'node:http'
import type { ForwardClient } from './forward-client.ts'

/** Names and values in turn, as they were sent. */
export type RawHeaders = readonly string[]

/** Those of one connection, never of the next (RFC 9110, 7.6.1), beside those that `Connection` lists. */
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

/** What the forwarder says itself, or what only its door may judge: credentials, and which page has caused the request. */
const OWN = new Set([
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
const OWN_FAMILIES = /^(?:x-forwarded-|sec-fetch-)/

/** Name of the header that restricts what a request may do. */
const ACCESS = 'Slotwire-Access'
const READ_ONLY = 'read-only'

/** What the forwarder tells a service about a request. */
export interface Forwarding extends ForwardClient {
  /** Host of the service. */
  readonly host: string
  /** Name of this forwarder among all that a request may pass. */
  readonly pseudonym: string
}

/** Headers for the service: those of the client, without those of its connection and with what the forwarder knows put in their place. */
export function requestHeaders(request: IncomingMessage, forwarding: Forwarding): string[] {
  const { headers, httpVersion } = request
  const kept = endToEnd(request.rawHeaders, headers.connection, isOwn)
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
    ...(forwarding.readOnly || asksForReadOnly(request) ? [ACCESS, READ_ONLY] : []),
  ]
}

/** Headers for the client: those of the service, without those of its connection. */
export function responseHeaders(answer: IncomingMessage): string[] {
  const { headers } = answer
  const chunked = headers['transfer-encoding'] !== undefined
  return endToEnd(answer.rawHeaders, headers.connection, (name) => chunked && name === 'content-length')
}

/** Whether the client waits for `100 Continue` with its body. */
export function waitsForGoAhead({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1'
}

/** The length of a body is said anew: nothing that `Connection` lists can take it away. */
function framingOf(request: IncomingMessage): string[] {
  const { headers, method } = request
  const length = headers['content-length']
  const expect = waitsForGoAhead(request) ? ['Expect', '100-continue'] : []
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked', ...expect]
  if (length !== undefined) return ['Content-Length', length, ...expect]
  return method === 'GET' || method === 'HEAD' ? [] : ['Content-Length', '0']
}

/** Anybody may renounce the right to change anything; a text that is misspelt counts as that too, as at every door. */
function asksForReadOnly({ headers }: IncomingMessage): boolean {
  return (headers['slotwire-access'] ?? '') !== ''
}

/** Also as servers see it that make no difference between `-` and `_`. */
function isOwn(name: string): boolean {
  const plain = name.replaceAll('_', '-')
  return OWN.has(plain) || OWN_FAMILIES.test(plain)
}

function endToEnd(raw: RawHeaders, connection: string | undefined, isLeftOut: (name: string) => boolean): string[] {
  const listed = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string
    const lower = name.toLowerCase()
    if (HOP_BY_HOP.has(lower) || listed.has(lower) || isLeftOut(lower)) continue
    kept.push(name, raw[index + 1] as string)
  }
  return kept
}
