import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock, SlotwireError } from '@slotwire/core'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from './answer.ts'
import { holdBack } from './go-ahead.ts'
import type { HttpLimits } from './http-limits.ts'
import { parserErrorOf } from './parser-error.ts'
import { endRaw } from './raw-refusal.ts'
import { endAfter, endsConnection, type RunningRequests } from './running-requests.ts'

/** What a door leads to, and what it needs to refuse on its own. */
export interface DoorOptions {
  readonly route: (request: IncomingMessage, response: ServerResponse) => void
  readonly running: RunningRequests
  readonly limits: HttpLimits
  readonly clock: Clock
}

/** How long a refused client may take to notice, before its connection is cut. */
const LINGER_MS = 1000

/** One listening HTTP server. Whatever the framework never gets to see (the parser's refusals, CONNECT, Expect) is answered here. */
export class Door {
  readonly #server: Server
  readonly #options: DoorOptions
  readonly #sockets = new Set<Socket>()
  /** The response to the last request of each connection. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>()
  /** Connections on which nothing more is said. */
  readonly #refused = new WeakSet<Duplex>()

  constructor(options: DoorOptions) {
    const { limits } = options
    this.#options = options
    this.#server = createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        connectionsCheckingInterval: limits.timeoutCheckMs,
        keepAliveTimeout: limits.keepAliveMs,
        requireHostHeader: false,
      },
      (request, response) => this.#onRequest(request, response),
    )
    // A client may end its side and still read: its answer is sent all the same. Not among the declared options of a server.
    Object.assign(this.#server, { httpAllowHalfOpen: true })
    // Their size bounds them; beyond a number of them they would be dropped without a word.
    this.#server.maxHeadersCount = 0
    this.#server.maxConnections = limits.connections
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('clientError', (error, socket) => this.#onClientError(error, socket))
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      holdBack(response)
      this.#onRequest(request, response)
    })
    this.#server.on('checkExpectation', (request, response) => {
      this.#latest.set(request.socket, response)
      answer(response, coreErrors.malformedRequest({ reason: 'the Expect header must be 100-continue, or left out' }))
    })
    // CONNECT is for proxies: its target is no path of ours.
    this.#server.on('connect', (_request, socket) => this.#refuse(socket, coreErrors.notFound()))
  }

  /** Resolves with the address it listens at; port 0 picks one. Rejects with the system's error. */
  listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host: at.host, port: at.port }, () => {
        this.#server.off('error', reject)
        resolve(this.#server.address() as AddressInfo)
      })
    })
  }

  /** Takes no new connection and closes idle ones at once; resolves when the last answer is out, or its time is over. */
  async close(): Promise<void> {
    const { clock, limits } = this.#options
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    const deadline = clock.after(limits.closeMs, () => {
      for (const socket of this.#sockets) socket.destroy()
    })
    await closed
    deadline.cancel()
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const before = this.#latest.get(request.socket)
    // Behind the last answer of a connection nothing is begun: nobody would hear how it ended.
    if (before !== undefined && !before.closed && endsConnection(before)) return
    this.#latest.set(request.socket, response)
    const problem = headProblem(request)
    if (problem === undefined) this.#options.route(request, response)
    else answer(response, coreErrors.malformedRequest({ reason: problem }))
  }

  /** One answer per request: what broke is the body of the last one, which has an answer of its own, or a request after it. */
  #onClientError(error: Error, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    const latest = this.#latest.get(socket)
    const refusal = parserErrorOf(error, this.#options.limits, latest?.req.complete === false)
    if (latest === undefined || (latest.req.complete && latest.closed)) {
      this.#refuse(socket, refusal)
    } else if (latest.req.complete) {
      // That one is still without its answer: in order, please.
      latest.once('close', () => this.#refuse(socket, refusal))
    } else {
      this.#refused.add(socket)
      if (latest.closed) {
        this.#hangUp(socket)
        return
      }
      endAfter(latest)
      latest.once('close', () => this.#hangUp(socket))
      this.#options.running.of(latest)?.failBody?.(refusal)
    }
  }

  #refuse(socket: Duplex, error: SlotwireError): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    this.#hangUp(socket, errorAnswer(error))
  }

  #hangUp(socket: Duplex, lastWords?: Answer): void {
    if (socket.destroyed) return
    const linger = this.#options.clock.after(LINGER_MS, () => socket.destroy())
    socket.once('close', () => linger.cancel())
    endRaw(socket, lastWords)
  }
}

/** What is wrong with a request's head although the parser takes it. */
function headProblem({ httpVersionMajor, httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'the protocol must be HTTP/1.1'
  const coding = headers['transfer-encoding']?.trim().toLowerCase()
  if (coding !== undefined && coding !== 'chunked') return 'the body must come as it is, or in chunks: Transfer-Encoding: chunked'
  if (headers.host === undefined) return httpVersion === '1.1' ? 'the Host header is missing' : undefined
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === 'host') hosts++
  return hosts > 1 ? 'there is more than one Host header' : undefined
}

function answer(response: ServerResponse, error: SlotwireError): void {
  const { status, headers, body } = errorAnswer(error, { connection: 'close' })
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
