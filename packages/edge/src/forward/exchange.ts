import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type Clock, coreErrors, orElse, type SlotwireError, type Timer } from '@slotwire/core'
import { errorAnswer, hasBody, onUnfinishedBody, sendAnswer, sendContinue } from '@slotwire/service'
import { responseHeaders, waitsForContinue } from './forward-headers.ts'
import type { ForwardLimits } from './forward-limits.ts'
import type { ForwardTarget } from './forward-target.ts'

export interface ExchangeOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: ForwardTarget
  readonly tls: boolean
  /** Starts the request to the service; `newConnection`: on a new connection. */
  readonly open: (newConnection: boolean) => ClientRequest
  readonly clock: Clock
  readonly limits: ForwardLimits
  /** Called once, when the exchange has ended. */
  readonly onEnd: (ending: Ending) => void
}

/** Result of an exchange. */
export interface Ending {
  /** Status of the response, even if the client has gone. */
  readonly status: number
  /** The service's failure; undefined: none. */
  readonly failure?: Error
  /** Whether the service sent a response. */
  readonly answered: boolean
  /** Undefined if there was none. */
  readonly body: unknown
}

/** One request to a service and its response. */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #copy: BodyCopy
  #outgoing: ClientRequest | undefined
  #answer: IncomingMessage | undefined
  #timer: Timer | undefined
  #reached = false
  /** State of the request's body: waiting for `100 Continue`, flowing, blocked by the service, sent. */
  #body: 'deferred' | 'flowing' | 'blocked' | 'sent'
  #clientGone = false
  #over = false

  constructor(options: ExchangeOptions) {
    const { request, limits } = options
    this.#options = options
    this.#copy = new BodyCopy(limits.recordedBytes)
    this.#body = hasBody(request) ? 'deferred' : 'sent'
  }

  /** Throws if the request cannot be forwarded. */
  start(): void {
    const { request } = this.#options
    this.#open(false)
    request.socket.once('close', this.#onClientGone)
    onUnfinishedBody(request, (error) => {
      if (this.#body !== 'sent') this.refuse(error)
    })
  }

  /** Sends an error at once, unless the exchange is over. The service may still process the request. */
  refuse(error: SlotwireError): void {
    if (!this.#over) this.#endWith(error, { answered: false })
  }

  #open(newConnection: boolean): void {
    const { open, request } = this.#options
    const outgoing = open(newConnection)
    this.#outgoing = outgoing
    this.#reached = false
    const failed = (error: Error): void => {
      if (outgoing === this.#outgoing) this.#onFailure(error)
    }
    outgoing.once('socket', (socket) => this.#onSocket(socket))
    outgoing.once('continue', () => this.#sendBody())
    outgoing.once('response', (answer) => this.#onResponse(answer))
    outgoing.once('upgrade', (_answer, socket) => {
      socket.destroy()
      failed(new Error('it changed the protocol without a request to do so'))
    })
    outgoing.on('error', failed)
    outgoing.once('close', () => failed(new Error('it closed the connection without an answer')))
    this.#watch()
    if (this.#body === 'sent') {
      outgoing.end()
      return
    }
    // The service may refuse the request before its body.
    outgoing.flushHeaders()
    if (!waitsForContinue(request)) this.#sendBody()
  }

  #onSocket(socket: Socket): void {
    const reached = (): void => {
      this.#reached = true
      this.#watch()
    }
    if (socket.connecting) socket.once(this.#options.tls ? 'secureConnect' : 'connect', reached)
    else reached()
  }

  /** One deadline at a time, for the next expected event. The door itself limits the time for the client's body. */
  #watch(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#over) return
    const { clock, limits } = this.#options
    if (!this.#reached) {
      this.#timer = clock.after(limits.connectMs, () => this.#onFailure(new Error(`no connection in ${limits.connectMs} ms`)))
    } else if (this.#body === 'deferred' && this.#answer === undefined) {
      this.#timer = clock.after(limits.continueMs, () => this.#sendBody())
    } else if (this.#body !== 'flowing' || this.#answer !== undefined) {
      this.#timer = clock.after(limits.answerMs, () => this.#loseResponse(new Error(`nothing more in ${limits.answerMs} ms`)))
    }
  }

  #sendBody(): void {
    const outgoing = this.#outgoing
    if (this.#over || outgoing === undefined || this.#body !== 'deferred') return
    const { request, response } = this.#options
    this.#body = 'flowing'
    sendContinue(request, response)
    request.on('data', this.#onBodyPart)
    request.once('end', () => {
      this.#body = 'sent'
      outgoing.end()
      this.#watch()
    })
    this.#watch()
  }

  readonly #onBodyPart = (part: Buffer): void => {
    const { request } = this.#options
    this.#copy.add(part)
    if (this.#outgoing?.write(part) !== false) return
    request.pause()
    this.#body = 'blocked'
    this.#watch()
    this.#outgoing.once('drain', () => {
      this.#body = 'flowing'
      this.#watch()
      request.resume()
    })
  }

  #onResponse(answer: IncomingMessage): void {
    this.#answer = answer
    if (this.#clientGone) {
      this.#end({ status: answer.statusCode ?? 0, answered: true })
      return
    }
    const coding = answer.headers['transfer-encoding']
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      this.#loseResponse(new Error(`its answer has an unexpected transfer coding: ${coding}`))
      return
    }
    answer.on('data', (part: Buffer) => this.#relay(part))
    answer.once('end', () => {
      if (!this.#over && this.#sendHead()) {
        this.#options.response.end()
        this.#end({ status: this.#options.response.statusCode, answered: true })
      }
    })
    answer.once('error', (error) => this.#loseResponse(error))
    answer.once('close', () => this.#loseResponse(new Error('its answer is incomplete')))
    this.#watch()
  }

  #relay(part: Buffer): void {
    if (this.#over || !this.#sendHead()) return
    const { response } = this.#options
    this.#watch()
    if (response.write(part)) return
    this.#answer?.pause()
    response.once('drain', () => {
      this.#watch()
      this.#answer?.resume()
    })
  }

  /** Sends the head with the first part of the body: until then, an error can be sent instead. */
  #sendHead(): boolean {
    const { response } = this.#options
    const answer = this.#answer
    if (response.headersSent || answer === undefined) return true
    try {
      response.writeHead(answer.statusCode ?? 0, responseHeaders(answer))
      return true
    } catch (error) {
      this.#loseResponse(new Error('its answer has an invalid head', { cause: error }))
      return false
    }
  }

  #onFailure(error: Error): void {
    // After the head of a response, only the response itself can fail.
    if (this.#over || this.#answer !== undefined) return
    const { target } = this.#options
    if (!this.#reached) {
      this.#endWith(coreErrors.serviceUnreachable({ service: target.service }), { failure: error, answered: false })
    } else if (this.#outgoing?.reusedSocket === true && target.effect === 'read' && !hasBody(this.#options.request)) {
      // The service closed a kept connection while the request was sent: try again on a new one, where that cannot happen.
      this.#open(true)
    } else {
      this.#loseResponse(error)
    }
  }

  #loseResponse(failure: Error): void {
    if (this.#over) return
    const { service, effect } = this.#options.target
    const harmless = effect === 'read' || effect === 'deliver'
    const error = harmless ? coreErrors.serviceUnreachable({ service }) : coreErrors.serviceAnswerLost({ service })
    this.#endWith(error, { failure, answered: false })
  }

  readonly #onClientGone = (): void => {
    const { target } = this.#options
    this.#clientGone = true
    const changes = target.effect === 'write' || target.effect === 'action'
    // The write has happened, even without its client: wait for the result, for the record.
    if (changes && this.#body === 'sent' && this.#answer === undefined) return
    this.#endWith(coreErrors.malformedRequest({ reason: 'the connection ended before the request did' }), { answered: false })
  }

  /** Sends an error. If part of a response was sent already, breaks the connection: the client must not take it for a complete one. */
  #endWith(error: SlotwireError, ending: Pick<Ending, 'failure' | 'answered'>): void {
    const { response } = this.#options
    if (response.headersSent) {
      abortResponse(response)
    } else if (!this.#clientGone) {
      sendAnswer(response, errorAnswer(error))
    }
    this.#end({ status: response.headersSent ? response.statusCode : error.status, ...ending })
  }

  #end(ending: Omit<Ending, 'body'>): void {
    const { request, onEnd } = this.#options
    this.#over = true
    this.#watch()
    request.socket.off('close', this.#onClientGone)
    // Read and drop the rest of the body: closing a connection with unread bytes would lose the response.
    request.off('data', this.#onBodyPart)
    if (this.#body === 'flowing' || this.#body === 'blocked') request.resume()
    // A connection with an incomplete request or response cannot be reused.
    if (this.#body !== 'sent' || this.#answer?.complete !== true) this.#outgoing?.destroy()
    onEnd({ ...ending, body: this.#copy.value() })
  }
}

/** Breaks the connection so that the client detects an incomplete response, even one that ends with the connection. */
function abortResponse(response: ServerResponse): void {
  const { socket } = response
  // With TLS, the missing close_notify shows it; a plain connection is reset.
  if (socket === null || socket instanceof TLSSocket) response.destroy()
  else socket.resetAndDestroy()
}

/** Keeps a copy of a small body for the record. */
class BodyCopy {
  readonly #limit: number
  #chunks: Buffer[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#limit) this.#chunks = []
    else this.#chunks.push(chunk)
  }

  /** The body as JSON; undefined if it is not JSON or too large. */
  value(): unknown {
    if (this.#size === 0 || this.#size > this.#limit) return undefined
    return orElse<unknown>(undefined, () => JSON.parse(Buffer.concat(this.#chunks).toString('utf8')))
  }
}
