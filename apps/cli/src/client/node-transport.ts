import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { baseUrl, type Transport } from '@slotwire/client'

/** Connections to one device at the same time: a stream, and calls beside it. */
const MAX_CONNECTIONS = 16

/** Sends requests with the HTTP client of Node.js. With `ca` (PEM) only servers of this authority are trusted; the name is checked, too. */
export function nodeTransport(address: string | URL, ca?: string): Transport {
  const url = baseUrl(address)
  const root = url.pathname.replace(/\/+$/, '')
  const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS }
  const isTls = url.protocol === 'https:'
  const agent = isTls ? new HttpsAgent({ ...options, ...(ca === undefined ? {} : { ca }) }) : new HttpAgent(options)
  const request = isTls ? httpsRequest : httpRequest
  const { hostname, port } = url
  // The URL has brackets around an IPv6 address, a socket has none.
  const host = hostname.replace(/^\[|\]$/g, '')
  return (path, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = request(
        { agent, host, port, path: root + path, method, headers: { ...headers, ...length }, signal },
        (answer) => resolve(Promise.resolve(answer).then(responseOf)),
      )
      sent.on('upgrade', (answer, socket) => {
        socket.destroy()
        reject(unreadable(answer.statusCode))
      })
      sent.on('error', reject)
      sent.end(body)
    })
}

const MIN_STATUS = 200
const MAX_STATUS = 599
/** Statuses that a `Response` may have no body with. */
const WITHOUT_BODY = new Set([204, 205, 304])

function responseOf(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0
  if (status < MIN_STATUS || status > MAX_STATUS) {
    answer.destroy()
    throw unreadable(status)
  }
  const headers: [string, string][] = []
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) headers.push([name, value])
  if (!WITHOUT_BODY.has(status)) return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers })
  answer.resume()
  return new Response(null, { status, headers })
}

function unreadable(status: number | undefined): Error {
  return new Error(`the server sent status ${status}, which no answer may have`)
}
