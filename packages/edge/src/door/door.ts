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
import { checkLoopbackAccess } from '../access/access.ts'
import { plainAddress } from './address.ts'
import { Connections, hangUp, lingerAtEnd } from './connections.ts'
import { createDoorServer, handshakeRefusal, isTlsFailure, presentCertificate, surviveAcceptErrors } from './door-server.ts'
import type { AccessDecision, ConnectionState, ListenerPolicy, OpenDoor, ServerCertificate } from './listener-policy.ts'
import { headProblem, parserErrorOf } from './request-head.ts'

/**
 * Header by which a client gives up all write access, or a proxy limits a client: `read-only`. Any other text counts the same: a misspelt
 * value must not grant rights.
 */
const ACCESS_HEADER = 'slotwire-access'

const NO_PROXY = 'this server is not a proxy: send GET, HEAD or POST with a path'

/** Most requests of a connection that wait for the answers to those before them: a pause of the socket does not reach the parser. */
const MAX_PIPELINED = 100
const TOO_MANY = `more than ${MAX_PIPELINED} requests of this connection wait for an answer: send fewer at a time`
/** So many of them begin at once. */
const MAX_AT_ONCE = 8
/** Turns of the event loop without a new connection after which the backlog of a closing door is empty. */
const QUIET_TURNS = 3
/** Most turns in which a closing door still accepts connections, one each: twice the backlog. */
const MAX_LAST_TURNS = 1024

type DoorService = Pick<Service, 'routes' | 'context'>
type DoorPolicy = ListenerPolicy & Required<Pick<ListenerPolicy, 'checkAccess'>>

/** A listening HTTP server. Handles what the service never sees: errors of the parser, CONNECT, Expect. */
export class Door {
  readonly #listener: ReturnType<typeof createDoorServer>
  readonly #connections: Connections
  /** Sockets with HTTP: the connections themselves, or their TLS sockets. */
  readonly #sockets = new Set<Socket>()
  #closing: Promise<void> | undefined
  #accepted = 0
  /** Whether connections that are accepted from now on are closed at once. */
  #isStopped = false

  constructor(
    private readonly service: DoorService,
    private readonly policy: DoorPolicy,
  ) {
    const { context } = service
    this.#connections = new Connections(policy.connectionsPerAddress ?? (() => Number.POSITIVE_INFINITY))
    this.#listener = createDoorServer(context.limits, policy.tls, (request, response) => this.#onRequest(request, response))
    const { server, secure } = this.#listener
    server.on('connection', (socket: Socket) => {
      this.#accepted++
      // The server's own listener ends with CONNECT: an error that nothing hears would end the process.
      socket.on('error', () => undefined)
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
    // CONNECT is for proxies: its target is not a path.
    server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
      socket.resume()
      this.#refuseAfterLatest(socket, coreErrors.notFound({ hint: NO_PROXY }))
    })
  }

  /** Resolves with the listening address; port 0 chooses a free port. Rejects with the system's error. */
  listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    const { server } = this.#listener
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: at.host, port: at.port }, () => {
        server.off('error', reject)
        surviveAcceptErrors(server, this.service.context)
        resolve(server.address() as AddressInfo)
      })
    })
  }

  /** Presents another certificate from now on. Throws if the door has no TLS, or if certificate and key do not match. */
  renewCertificate(certificate: ServerCertificate): void {
    const { secure } = this.#listener
    if (secure === undefined) throw new Error('this door uses plain HTTP: it has no certificate')
    presentCertificate(secure, { ...this.policy.tls, ...certificate })
  }

  /**
   * Accepts no new connections and closes idle ones at once. Resolves after the last response or after a deadline; requests that cannot
   * finish in time are refused before.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Closes all connections at once, as at the end of the process. Resolves when the address is free. */
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
    const { running, doorTime: clock, limits } = this.service.context
    const here = ({ request }: RunningRequest): boolean => this.#sockets.has(request.socket)
    const deadlines = [
      clock.after(limits.closeMs * WAITING_REFUSED_AT, () => running.refuseUnfinished(coreErrors.stopping(), here)),
      clock.after(limits.closeMs * ALL_REFUSED_AT, () => running.refuseAll(coreErrors.stopping(), here)),
      clock.after(limits.closeMs, () => {
        for (const socket of this.#connections) socket.destroy()
      }),
    ]
    running.endEndless(coreErrors.stopping(), here)
    for (const socket of this.#sockets) this.#endAfterLatest(socket)
    await this.#acceptBacklog()
    const closed = this.#stopListening()
    for (const socket of [...this.#connections, ...this.#sockets]) if (socket.bytesRead === 0) socket.destroy()
    await closed
    for (const deadline of deadlines) deadline.cancel()
  }

  /** Accepts the connections in the backlog: their clients may have sent requests already. */
  async #acceptBacklog(): Promise<void> {
    let accepted = this.#accepted
    let quiet = 0
    for (let turn = 0; turn < MAX_LAST_TURNS && quiet < QUIET_TURNS; turn++) {
      await nextTurn()
      quiet = this.#accepted === accepted ? quiet + 1 : 0
      accepted = this.#accepted
    }
  }

  /** Closes the connection after its last pending response. */
  #endAfterLatest(socket: Socket): void {
    const { latest } = connectionOf(socket)
    if (latest === undefined || latest.closed) return
    if (latest.headersSent) latest.once('close', () => socket.end())
    else endAfter(latest)
  }

  #onSocket(socket: Socket): void {
    // A handshake may end after the door has closed.
    if (this.#isStopped) socket.destroy()
    // The same as for plain HTTP, where the server sets it. During a handshake a half-open connection is useless.
    socket.allowHalfOpen = true
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    const before = connection.latest
    // Start no request after the last response of a connection: the client would never see the result.
    if (connection.refused || connection.full || (before !== undefined && !before.closed && endsConnection(before))) return
    connection.latest = response
    if (before !== undefined && connection.pipelined >= MAX_PIPELINED) {
      connection.full = true
      const answer = errorAnswer(coreErrors.malformedRequest({ reason: TOO_MANY }))
      before.once('close', () => request.socket.destroyed || this.#answerLast(request, response, answer))
      return
    }
    if (before === undefined || before.closed) this.#begin(request, response)
    else this.#pipeline(before, request, response)
  }

  /** Begins some requests of a connection at once, and each later one in a turn of its own: a packet may have a thousand. */
  #pipeline(before: ServerResponse, request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    connection.pipelined++
    response.once('close', () => connection.pipelined--)
    if (connection.waiting === 0 && connection.pipelined < MAX_AT_ONCE) return this.#begin(request, response)
    connection.waiting++
    const begin = (): void => {
      connection.waiting--
      if (!connection.refused && !request.socket.destroyed && !endsConnection(before)) this.#begin(request, response)
    }
    before.once('close', () => void nextTurn().then(begin))
  }

  /** Requests of all connections share the time of a turn. */
  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.service.context.turns.run(() => {
      if (request.socket.destroyed) return
      if (this.#closing !== undefined) endAfter(response)
      const reason = headProblem(request)
      if (reason === undefined) this.#checkAccess(request, response)
      else this.#answerLast(request, response, errorAnswer(coreErrors.malformedRequest({ reason })))
    })
  }

  #checkAccess(request: IncomingMessage, response: ServerResponse): void {
    const { log } = this.service.context
    try {
      const admitted = this.#admit(request, response)
      if ('answer' in admitted) {
        if (hasBody(request)) this.#answerLast(request, response, admitted.answer)
        else this.#answer(response, admitted.answer)
      } else if (admitted.isHidden === true) {
        this.service.routes.answerUnknown(request, response, admitted.caller)
      } else {
        this.service.routes.answer(request, response, admitted.caller)
      }
    } catch (error) {
      if (error instanceof SlotwireError && !response.headersSent) {
        this.#answerLast(request, response, errorAnswer(error))
        return
      }
      log.error({ err: error, method: request.method, path: loggedPath(request) }, 'a request failed before the service')
      if (response.headersSent) response.destroy()
      else this.#answerLast(request, response, errorAnswer(coreErrors.internal()))
    }
  }

  /** Runs the access check. Returns the caller, or the response if the service must not see the request. */
  #admit(request: IncomingMessage, response: ServerResponse): AccessDecision {
    const decision = this.policy.checkAccess(request, connectionOf(request.socket), response)
    if ('answer' in decision) return decision
    const access = request.headers[ACCESS_HEADER]
    const { caller } = decision
    const readOnly = caller.readOnly || (access !== undefined && access !== '')
    if (!readOnly) return decision
    const restricted: Caller = caller.readOnly ? caller : { ...caller, readOnly }
    if (isSafe(request.method)) return { ...decision, caller: restricted }
    const answer = errorAnswer(coreErrors.readOnly())
    this.service.context.recordWrite(request, restricted, { status: answer.status, durationMs: 0 })
    return { answer }
  }

  /** Sends the last response and closes the connection. Reads and drops further data for a while, so that the client gets the response. */
  #answerLast(request: IncomingMessage, response: ServerResponse, last: Answer): void {
    connectionOf(request.socket).refused = true
    lingerAtEnd(request.socket, this.service.context.doorTime)
    endAfter(response)
    this.#answer(response, last)
  }

  #answer(response: ServerResponse, answer: Answer): void {
    this.service.context.requests.countUnmatched(answer.status)
    sendAnswer(response, answer)
  }

  /** Sends one response per request. The error concerns the latest body, whose request has its own response, or a later request. */
  #onClientError(error: Error, socket: Duplex): void {
    const connection = connectionOf(socket)
    if (connection.refused) return
    // After a TLS error no response can be sent.
    if (isTlsFailure(error)) {
      socket.destroy()
      return
    }
    const { limits } = this.service.context
    const { latest } = connection
    const refusal = parserErrorOf(error, limits, latest?.req.complete === false)
    if (latest === undefined || latest.req.complete) {
      this.#refuseAfterLatest(socket, refusal)
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

  /** Keeps the order: the response to the latest request comes first. */
  #refuseAfterLatest(socket: Duplex, error: SlotwireError): void {
    const { latest } = connectionOf(socket)
    if (latest === undefined || latest.closed) this.#refuse(socket, error)
    else latest.once('close', () => this.#refuse(socket, error))
  }

  #refuse(socket: Duplex, error: SlotwireError): void {
    const connection = connectionOf(socket)
    if (connection.refused) return
    connection.refused = true
    this.service.context.requests.countUnmatched(error.status)
    this.#hangUp(socket, errorAnswer(error))
  }

  #hangUp(socket: Duplex, answer?: Answer): void {
    hangUp(socket, this.service.context.doorTime, answer)
  }
}

/** A property of the socket: a weak map would cost each request some hundred nanoseconds. */
const CONNECTION = Symbol('connection')

/** The state of a connection; only its door may change it. */
export function connectionOf(socket: Duplex & { [CONNECTION]?: ConnectionState }): ConnectionState {
  return (socket[CONNECTION] ??= {
    ...{ address: addressOf(socket), latest: undefined, refused: false },
    ...{ pipelined: 0, waiting: 0, full: false },
  })
}

function addressOf(socket: Duplex & Pick<Partial<Socket>, 'remoteAddress'>): string {
  return plainAddress(socket.remoteAddress ?? '') ?? 'unknown'
}

/** An address to listen on; port 0 chooses a free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Opens a door of a service that is already bound; see `listen`. */
export type Listen = (at: ListenAddress, policy?: ListenerPolicy) => Promise<OpenDoor>

/**
 * Opens a door of a service. Default policy: a loopback door without credentials, which other hosts must not reach. The door closes with
 * the service. Rejects with the system's error (`EADDRINUSE`, `EADDRNOTAVAIL`).
 */
export async function listen(service: Service, at: ListenAddress, policy: ListenerPolicy = {}): Promise<OpenDoor> {
  const door = new Door(service, { checkAccess: checkLoopbackAccess, ...policy })
  const address = await service.adopt(door, () => door.listen(at))
  return { address, close: () => service.closeDoor(door), renewCertificate: (certificate) => door.renewCertificate(certificate) }
}
