import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock, SlotwireError } from '@slotwire/core'
import { coreErrors } from '@slotwire/core'
import { errorAnswer } from './answer.ts'
import type { HttpLimits } from './http-limits.ts'
import { parserErrorOf, refuseRaw } from './raw-refusal.ts'
import { endAfter, type RunningRequests } from './running-requests.ts'

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
  readonly #refused = new WeakSet<Duplex>()

  constructor(options: DoorOptions) {
    const { limits, route } = options
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
      (request, response) => {
        if (request.headers.host === undefined && request.httpVersion === '1.1') {
          answer(response, coreErrors.malformedRequest({ reason: 'the Host header is missing' }))
        } else {
          route(request, response)
        }
      },
    )
    this.#server.maxConnections = limits.connections
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('clientError', (error, socket) => this.#onClientError(error, socket))
    this.#server.on('checkExpectation', (_request, response) => answer(response, coreErrors.expectationFailed()))
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

  #onClientError(error: Error, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    const refusal = parserErrorOf(error, this.#options.limits)
    const last = this.#options.running.lastOf(socket)
    if (last === undefined) {
      this.#refuse(socket, refusal)
    } else if (last.request.complete) {
      // The broken request comes after one that is still without its answer: in order, please.
      last.response.once('close', () => this.#refuse(socket, refusal))
    } else {
      // What broke is the body of the request that is being worked on: this is its answer, and the last one here.
      this.#refused.add(socket)
      endAfter(last.response)
      last.failBody?.(refusal)
    }
  }

  #refuse(socket: Duplex, error: SlotwireError): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const linger = this.#options.clock.after(LINGER_MS, () => socket.destroy())
    socket.once('close', () => linger.cancel())
    refuseRaw(socket, errorAnswer(error))
  }
}

function answer(response: ServerResponse, error: SlotwireError): void {
  const { status, headers, body } = errorAnswer(error, { connection: 'close' })
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
