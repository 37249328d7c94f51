import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type Clock, coreErrors, type SlotwireError, type Timer } from '@slotwire/core'
import { errorAnswer, hasBody, onUnfinishedBody, sendAnswer, sendContinue } from '@slotwire/service'
import { responseHeaders, waitsForGoAhead } from './forward-headers.ts'
import type { ForwardLimits } from './forward-limits.ts'
import type { ForwardTarget } from './forward-target.ts'

export interface ExchangeOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: ForwardTarget
  readonly tls: boolean
  /** Begins the request at the service; `fresh`: on a connection of its own. */
  readonly open: (fresh: boolean) => ClientRequest
  readonly clock: Clock
  readonly limits: ForwardLimits
  /** Called once, when nothing more comes of it. */
  readonly onEnd: (ending: Ending) => void
}

/** How an exchange ended. */
export interface Ending {
  /** Of the answer, also of one that nobody was there for any more. */
  readonly status: number
  /** What the service did wrong; undefined: nothing. */
  readonly failure?: Error
  /** Whether the service has answered. */
  readonly answered: boolean
  /** Undefined where there was none. */
  readonly body: unknown
}

/** One request on its way to a service, and the answer on its way back. */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #copy: BodyCopy
  #outgoing: ClientRequest | undefined
  #answer: IncomingMessage | undefined
  #timer: Timer | undefined
  #reached = false
  /** Of the request's body: asked for and flowing, held up by the service, sent to its end. */
  #body: 'held-back' | 'flowing' | 'held-up' | 'sent'
  #clientGone = false
  #over = false

  constructor(options: ExchangeOptions) {
    const { request, limits } = options
    this.#options = options
    this.#copy = new BodyCopy(limits.recordedBytes)
    this.#body = hasBody(request) ? 'held-back' : 'sent'
  }

  /** Throws for a request that cannot be sent on. */
  start(): void {
    const { request } = this.#options
    this.#open(false)
    request.socket.once('close', this.#onClientGone)
    onUnfinishedBody(request, (error) => {
      if (this.#body !== 'sent') this.refuse(error)
    })
  }

  /** Answers at once, unless it is answered. What the service has begun is not undone. */
  refuse(error: SlotwireError): void {
    if (!this.#over) this.#endWith(error, { answered: false })
  }

  #open(fresh: boolean): void {
    const { open, request } = this.#options
    const outgoing = open(fresh)
    this.#outgoing = outgoing
    this.#reached = false
    const failed = (error: Error): void => {
      if (outgoing === this.#outgoing) this.#onFailure(error)
    }
    outgoing.once('socket', (socket) => this.#onSocket(socket))
    outgoing.once('continue', () => this.#sendBody())
    outgoing.once('response', (answer) => this.#onAnswer(answer))
    outgoing.once('upgrade', (_answer, socket) => {
      socket.destroy()
      failed(new Error('it changed the protocol without having been asked'))
    })
    outgoing.on('error', failed)
    outgoing.once('close', () => failed(new Error('it closed the connection without an answer')))
    this.#watch()
    if (this.#body === 'sent') {
      outgoing.end()
      return
    }
    // The service may refuse before the body comes.
    outgoing.flushHeaders()
    if (!waitsForGoAhead(request)) this.#sendBody()
  }

  #onSocket(socket: Socket): void {
    const reached = (): void => {
      this.#reached = true
      this.#watch()
    }
    if (socket.connecting) socket.once(this.#options.tls ? 'secureConnect' : 'connect', reached)
    else reached()
  }

  /** One deadline at a time, for what is waited for now; the door has its own for a body that the client does not send. */
  #watch(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#over) return
    const { clock, limits } = this.#options
    if (!this.#reached) {
      this.#timer = clock.after(limits.connectMs, () => this.#onFailure(new Error(`no connection in ${limits.connectMs} ms`)))
    } else if (this.#body === 'held-back' && this.#answer === undefined) {
      this.#timer = clock.after(limits.continueMs, () => this.#sendBody())
    } else if (this.#body !== 'flowing' || this.#answer !== undefined) {
      this.#timer = clock.after(limits.answerMs, () => this.#lose(new Error(`nothing more in ${limits.answerMs} ms`)))
    }
  }

  #sendBody(): void {
    const outgoing = this.#outgoing
    if (this.#over || outgoing === undefined || this.#body !== 'held-back') return
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
    this.#body = 'held-up'
    this.#watch()
    this.#outgoing.once('drain', () => {
      this.#body = 'flowing'
      this.#watch()
      request.resume()
    })
  }

  #onAnswer(answer: IncomingMessage): void {
    this.#answer = answer
    if (this.#clientGone) {
      this.#end({ status: answer.statusCode ?? 0, answered: true })
      return
    }
    const coding = answer.headers['transfer-encoding']
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      this.#lose(new Error(`its answer comes in a coding that nobody asked for: ${coding}`))
      return
    }
    answer.on('data', (part: Buffer) => this.#relay(part))
    answer.once('end', () => {
      if (!this.#over && this.#begin()) {
        this.#options.response.end()
        this.#end({ status: this.#options.response.statusCode, answered: true })
      }
    })
    answer.once('error', (error) => this.#lose(error))
    answer.once('close', () => this.#lose(new Error('its answer broke off')))
    this.#watch()
  }

  #relay(part: Buffer): void {
    if (this.#over || !this.#begin()) return
    const { response } = this.#options
    this.#watch()
    if (response.write(part)) return
    this.#answer?.pause()
    response.once('drain', () => {
      this.#watch()
      this.#answer?.resume()
    })
  }

  /** The head of the answer goes out with the first part of its body: until then something better can be said. */
  #begin(): boolean {
    const { response } = this.#options
    const answer = this.#answer
    if (response.headersSent || answer === undefined) return true
    try {
      response.writeHead(answer.statusCode ?? 0, responseHeaders(answer))
      return true
    } catch (error) {
      this.#lose(new Error('its answer has a head that nobody can be sent', { cause: error }))
      return false
    }
  }

  #onFailure(error: Error): void {
    // With an answer on its way it is the answer that fails, or not.
    if (this.#over || this.#answer !== undefined) return
    const { target } = this.#options
    if (!this.#reached) {
      this.#endWith(coreErrors.serviceUnreachable({ service: target.service }), { failure: error, answered: false })
    } else if (this.#outgoing?.reusedSocket === true && target.effect === 'read' && !hasBody(this.#options.request)) {
      // Kept too long: the service closed it while the request was on its way. A fresh one cannot be that.
      this.#open(true)
    } else {
      this.#lose(error)
    }
  }

  #lose(failure: Error): void {
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
    // What changes something is done by now, whoever hears of it: how it ended belongs into the record.
    if (changes && this.#body === 'sent' && this.#answer === undefined) return
    this.#endWith(coreErrors.malformedRequest({ reason: 'the connection ended before the request did' }), { answered: false })
  }

  /** What has begun cannot be taken back: then the connection is cut, so that nobody takes half an answer for a whole one. */
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
    // The rest of a body is read and dropped: a connection closed with unread bytes loses the answer.
    request.off('data', this.#onBodyPart)
    if (this.#body === 'flowing' || this.#body === 'held-up') request.resume()
    // A connection on which only part of a request or of an answer has passed is of no use to anybody.
    if (this.#body !== 'sent' || this.#answer?.complete !== true) this.#outgoing?.destroy()
    onEnd({ ...ending, body: this.#copy.value() })
  }
}

/** Breaks the connection so that the client knows that this answer is not whole, even one that ends with its connection. */
function abortResponse(response: ServerResponse): void {
  const { socket } = response
  // Where TLS runs, its own end of transmission is what is missing; a plain connection is reset.
  if (socket === null || socket instanceof TLSSocket) response.destroy()
  else socket.resetAndDestroy()
}

/** A body that passes by, kept for the record as long as it is small. */
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

  /** The value of the JSON text; undefined for what was none, or too large. */
  value(): unknown {
    if (this.#size === 0 || this.#size > this.#limit) return undefined
    try {
      return JSON.parse(Buffer.concat(this.#chunks).toString('utf8'))
    } catch {
      return undefined
    }
  }
}
