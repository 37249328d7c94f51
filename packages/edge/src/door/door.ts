import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { coreErrors, nextTurn, SlotwireError } from '@slotwire/core'
import {
  ALL_REFUSED_AT,
  type Answer,
  type Caller,
  deferContinue,
  endAfter,
  endsConnection,
  errorAnswer,
  failBody,
  hasBody,
  isSafe,
  loggedPath,
  type RunningRequest,
  type Service,
  sendAnswer,
  WAITING_REFUSED_AT,
} from '@slotwire/service'
import { surviveAcceptErrors } from './accept-errors.ts'
import { plainAddress } from './address.ts'
import { Connections } from './connections.ts'
import { createDoorServer, type DoorServer } from './door-server.ts'
import { hangUp, lingerAtEnd } from './hang-up.ts'
import type { AccessDecision, Connection, ListenerPolicy, PresentedCertificate } from './listener-policy.ts'
import { parserErrorOf } from './parser-error.ts'
import { headProblem } from './request-head.ts'
import { handshakeRefusal, isTlsFailure, presentAnew } from './tls-rules.ts'

/**
 * A header by which anybody may renounce the right to change anything, as a proxy does for those whom it lets in so: `read-only`. Any
 * other text counts as that too: one that is misspelt must not give rights.
 */
const ACCESS_HEADER = 'slotwire-access'

/** Turns of the event loop without a new connection after which a closing door takes the backlog of its listener for empty, and read. */
const QUIET_TURNS = 3
/** Longest that a closing door goes on accepting, in turns of the event loop: twice the backlog, each turn accepts one connection. */
const MOST_LAST_TURNS = 1024

/** One listening HTTP server. What the service never gets to see (the parser's refusals, CONNECT, Expect) is answered here. */
export class Door {
  readonly #listener: DoorServer
  readonly #service: Pick<Service, 'routes' | 'context'>
  readonly #policy: ListenerPolicy & Required<Pick<ListenerPolicy, 'checkAccess'>>
  readonly #connections: Connections
  /** The sockets on which HTTP is spoken: the connections themselves, or what TLS makes of them. */
  readonly #sockets = new Set<Socket>()
  #closing: Promise<void> | undefined
  #accepted = 0
  /** Whether connections that are accepted from now on are closed at once. */
  #isStopped = false

  constructor(
    service: Pick<Service, 'routes' | 'context'>,
    policy: ListenerPolicy & Required<Pick<ListenerPolicy, 'checkAccess'>>,
  ) {
    const { context } = service
    this.#service = service
    this.#policy = policy
    this.#connections = new Connections(policy.connectionsPerAddress ?? Number.POSITIVE_INFINITY)
    this.#listener = createDoorServer(context.limits, policy.tls, (request, response) => this.#onRequest(request, response))
    const { server, secure } = this.#listener
    server.on('connection', (socket: Socket) => {
      this.#accepted++
      if (context.requests.openConnections >= context.limits.connections) {
        socket.destroy()
        return
      }
      this.#connections.add(socket)
      context.requests.countConnection(policy.kind ?? 'loopback', socket)
    })
    server.on(secure === undefined ? 'connection' : 'secureConnection', (socket: Socket) => this.#onSocket(socket))
    server.on('clientError', (error: Error, socket: Duplex) => this.#onClientError(error, socket))
    server.on('tlsClientError', (error: Error, socket: TLSSocket) => this.#onHandshakeFailure(error, socket))
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      deferContinue(response)
      this.#onRequest(request, response)
    })
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      connectionOf(request.socket).latest = response
      const reason = 'the Expect header must be 100-continue, or left out'
      this.#answerLast(request, response, errorAnswer(coreErrors.malformedRequest({ reason })))
    })
    // CONNECT is for proxies: its target is no path of ours.
    server.on('connect', (_request: IncomingMessage, socket: Duplex) => this.#refuse(socket, coreErrors.notFound()))
  }

  /** Resolves with the address it listens at; port 0 picks one. Rejects with the system's error. */
  listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    const { server } = this.#listener
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: at.host, port: at.port }, () => {
        server.off('error', reject)
        surviveAcceptErrors(server, this.#service.context)
        resolve(server.address() as AddressInfo)
      })
    })
  }

  /** Presents another certificate from now on. Throws when there is no TLS here, and when certificate and key do not fit. */
  renewCertificate(certificate: PresentedCertificate): void {
    const { secure } = this.#listener
    if (secure === undefined) throw new Error('this door speaks plain HTTP: it has no certificate')
    presentAnew(secure, { ...this.#policy.tls, ...certificate })
  }

  /**
   * Takes no new connection and closes idle ones at once; resolves when the last answer is out, or its time is over. What closing leaves
   * no time for is refused before that.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Ends as with its process: takes no new connection and cuts those that there are. Resolves when the address is free. */
  async abort(): Promise<void> {
    const closed = this.#closing ?? this.#stopListening()
    this.#closing = closed
    for (const socket of [...this.#connections, ...this.#sockets]) socket.destroy()
    await closed
  }

  #stopListening(): Promise<void> {
    this.#isStopped = true
    return new Promise((resolve) => {
      this.#listener.server.close(() => resolve())
    })
  }

  async #close(): Promise<void> {
    const { running, doorTime: clock, limits } = this.#service.context
    const here = ({ request }: RunningRequest): boolean => this.#sockets.has(request.socket)
    const deadlines = [
      clock.after(limits.closeMs * WAITING_REFUSED_AT, () => running.refuseUnfinished(coreErrors.stopping(), here)),
      clock.after(limits.closeMs * ALL_REFUSED_AT, () => running.refuseAll(coreErrors.stopping(), here)),
      clock.after(limits.closeMs, () => {
        for (const socket of this.#connections) socket.destroy()
      }),
    ]
    for (const socket of this.#sockets) this.#endAfterLatest(socket)
    await this.#acceptBacklog()
    const closed = this.#stopListening()
    for (const socket of [...this.#connections, ...this.#sockets]) if (socket.bytesRead === 0) socket.destroy()
    await closed
    for (const deadline of deadlines) deadline.cancel()
  }

  /** Clients whose connections wait in the backlog have sent their requests already: they are answered. */
  async #acceptBacklog(): Promise<void> {
    let accepted = this.#accepted
    let quiet = 0
    for (let turn = 0; turn < MOST_LAST_TURNS && quiet < QUIET_TURNS; turn++) {
      await nextTurn()
      quiet = this.#accepted === accepted ? quiet + 1 : 0
      accepted = this.#accepted
    }
  }

  /** Of the answers that are still owed on a connection, the last ends it. */
  #endAfterLatest(socket: Socket): void {
    const { latest } = connectionOf(socket)
    if (latest === undefined || latest.closed) return
    if (latest.headersSent) latest.once('close', () => socket.end())
    else endAfter(latest)
  }

  #onSocket(socket: Socket): void {
    // A handshake may end after the door has closed.
    if (this.#isStopped) socket.destroy()
    // As the server has it for plain HTTP. During a handshake nobody may end a side.
    socket.allowHalfOpen = true
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    const before = connection.latest
    // Behind the last answer of a connection nothing is begun: nobody would hear how it ended.
    if (connection.refused || (before !== undefined && !before.closed && endsConnection(before))) return
    connection.latest = response
    if (this.#closing !== undefined) endAfter(response)
    const reason = headProblem(request)
    if (reason === undefined) this.#checkAccess(request, response)
    else this.#answerLast(request, response, errorAnswer(coreErrors.malformedRequest({ reason })))
  }

  #checkAccess(request: IncomingMessage, response: ServerResponse): void {
    const { log } = this.#service.context
    try {
      const admitted = this.#admit(request)
      if ('answer' in admitted) {
        if (hasBody(request)) this.#answerLast(request, response, admitted.answer)
        else this.#answer(response, admitted.answer)
      } else if (this.#policy.forward?.(request, response, admitted.caller) !== true) {
        this.#service.routes.answer(request, response, admitted.caller)
      }
    } catch (error) {
      if (error instanceof SlotwireError && !response.headersSent) {
        this.#answerLast(request, response, errorAnswer(error))
        return
      }
      log.error({ err: error, method: request.method, path: loggedPath(request) }, 'a request was not received')
      if (response.headersSent) response.destroy()
      else this.#answerLast(request, response, errorAnswer(coreErrors.internal()))
    }
  }

  /** Who sends a request, and that it may. Tells what to answer where the service shall not see it. */
  #admit(request: IncomingMessage): AccessDecision {
    const decision = this.#policy.checkAccess(request, connectionOf(request.socket))
    if ('answer' in decision) return decision
    const access = request.headers[ACCESS_HEADER]
    const { caller } = decision
    const readOnly = caller.readOnly || (access !== undefined && access !== '')
    if (!readOnly) return decision
    const restricted: Caller = caller.readOnly ? caller : { ...caller, readOnly }
    if (isSafe(request.method)) return { caller: restricted }
    const answer = errorAnswer(coreErrors.readOnly())
    this.#service.context.recordWrite(request, restricted, { status: answer.status, durationMs: 0 })
    return { answer }
  }

  /** Answers and ends the connection. What the client still sends is read and dropped for a while, so that it hears the answer. */
  #answerLast(request: IncomingMessage, response: ServerResponse, last: Answer): void {
    connectionOf(request.socket).refused = true
    lingerAtEnd(request.socket, this.#service.context.doorTime)
    endAfter(response)
    this.#answer(response, last)
  }

  #answer(response: ServerResponse, answer: Answer): void {
    this.#service.context.requests.countUnmatched(answer.status)
    sendAnswer(response, answer)
  }

  /** One answer per request: what broke is the body of the last one, which has an answer of its own, or a request after it. */
  #onClientError(error: Error, socket: Duplex): void {
    const connection = connectionOf(socket)
    if (connection.refused) return
    // Where TLS has broken nothing more can be said.
    if (isTlsFailure(error)) {
      socket.destroy()
      return
    }
    const { limits } = this.#service.context
    const { latest } = connection
    const refusal = parserErrorOf(error, limits, latest?.req.complete === false)
    if (latest === undefined || (latest.req.complete && latest.closed)) {
      this.#refuse(socket, refusal)
    } else if (latest.req.complete) {
      // That one is still without its answer: in order, please.
      latest.once('close', () => this.#refuse(socket, refusal))
    } else {
      connection.refused = true
      if (latest.closed) {
        this.#hangUp(socket)
        return
      }
      endAfter(latest)
      latest.once('close', () => this.#hangUp(socket))
      failBody(latest.req, refusal)
    }
  }

  #onHandshakeFailure(error: Error, socket: TLSSocket): void {
    const refusal = handshakeRefusal(error)
    const connection = this.#connections.find(socket.remoteAddress, socket.remotePort)
    if (refusal === undefined || connection === undefined) socket.destroy()
    else this.#refuse(connection, refusal)
  }

  #refuse(socket: Duplex, error: SlotwireError): void {
    const connection = connectionOf(socket)
    if (connection.refused) return
    connection.refused = true
    this.#service.context.requests.countUnmatched(error.status)
    this.#hangUp(socket, errorAnswer(error))
  }

  #hangUp(socket: Duplex, lastWords?: Answer): void {
    hangUp(socket, this.#service.context.doorTime, lastWords)
  }
}

/** Kept with the socket itself: a weak map on the side would cost every request some hundred nanoseconds. */
const CONNECTION = Symbol('connection')

/** What is known of this connection; to be written to by its door. */
export function connectionOf(socket: Duplex & { [CONNECTION]?: Connection }): Connection {
  return (socket[CONNECTION] ??= { address: addressOf(socket), latest: undefined, refused: false })
}

function addressOf(socket: Duplex & Pick<Partial<Socket>, 'remoteAddress'>): string {
  return plainAddress(socket.remoteAddress ?? '') ?? 'unknown'
}
