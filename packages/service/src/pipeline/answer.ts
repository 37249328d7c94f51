import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type BackplaneState,
  coreErrors,
  formatVersion,
  type Log,
  nextTurn,
  SLOTWIRE_VERSION,
  SlotwireError,
} from '@slotwire/core'
import { ModuleRefusal } from '@slotwire/sdbp'
import { UndoableReply } from '../alerts.ts'
import type { RefusalMapping } from '../module-service.ts'
import { loggedPath } from './request.ts'

/** Content type of every JSON response, success or error. */
export const JSON_TYPE = 'application/json'

/** A complete response. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

const OK = 200
/** 204 has no length (RFC 9110, 8.6), and 304 that of a body which it does not have. */
const WITHOUT_LENGTH = [204, 304]
const SERVICE_UNAVAILABLE = 503
/** Seconds until a client should try again after a 503. */
const RETRY_AFTER_SECONDS = 1
/** The `Server` header (RFC 9110, 10.2.4). */
const SERVER = `Slotwire/${formatVersion(SLOTWIRE_VERSION)}`
/** Headers of every answer. Browsers take no answer for what its type does not say. */
export const COMMON_HEADERS = { server: SERVER, 'x-content-type-options': 'nosniff' }
const NOT_STORED = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }
const CHECKED_AGAIN = { 'content-type': JSON_TYPE, 'cache-control': 'no-cache', age: '0' }

/** JSON of a value, with a newline at its end: a terminal shows its prompt on the next line. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** The specification's error body ("Errors", rule 3) with its headers, the error's name and hint among them, and `extra` headers. */
export function errorAnswer(error: SlotwireError, extra: Readonly<Record<string, string>> = {}): Answer {
  return {
    status: error.status,
    headers: {
      ...NOT_STORED,
      'slotwire-error': error.code,
      ...(error.hint === undefined ? {} : { 'slotwire-hint': error.hint }),
      ...(error.status === SERVICE_UNAVAILABLE ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
      ...extra,
    },
    body: jsonText({ status: 'error', code: error.status, message: error.message }),
  }
}

/** Sends a response; Node.js omits the body for HEAD. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = WITHOUT_LENGTH.includes(status) ? {} : { 'content-length': Buffer.byteLength(body) }
  // Written out: with a spread in the first place, V8 makes such an object ten times slower.
  const { server, 'x-content-type-options': sniffed } = COMMON_HEADERS
  response.writeHead(status, { server, 'x-content-type-options': sniffed, ...headers, ...length }).end(body)
}

/** Sends JSON text with caching forbidden. */
export function sendJson(response: ServerResponse, body: string): void {
  sendAnswer(response, { status: OK, headers: NOT_STORED, body })
}

/** Sends plain text with caching forbidden. */
function sendText(response: ServerResponse, body: string): void {
  const headers = { ...NOT_STORED, 'content-type': 'text/plain; charset=utf-8' }
  sendAnswer(response, { status: OK, headers, body })
}

/** Sends JSON text of a value that is less than a second old: its age in whole seconds is 0. Other caches must check again. */
export function sendCachedJson(response: ServerResponse, body: string): void {
  sendAnswer(response, { status: OK, headers: CHECKED_AGAIN, body })
}

/** Sends an error response and returns the error; undefined if a response was sent already. */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
  context: ErrorContext,
): SlotwireError | undefined {
  if (response.headersSent) return undefined
  const error = clientErrorOf(thrown, request, context)
  sendAnswer(response, errorAnswer(error))
  return error
}

/**
 * Calls `undo` once if the connection ends before the response was sent. Call this before sending. Watches the socket too: a response
 * that waits behind another gets no event when the connection ends.
 */
export function watchDelivery(request: IncomingMessage, response: ServerResponse, undo: () => void): void {
  const { socket } = request
  // After a failed write, the error is known before the socket is destroyed.
  const isBroken = (): boolean => socket.destroyed || Boolean(socket.errored)
  if (isBroken()) {
    undo()
    return
  }
  socket.once('close', undo)
  // A failed write also emits `finish`. Prepended, because other listeners may close the connection normally.
  response.prependOnceListener('finish', () => {
    socket.off('close', undo)
    if (isBroken()) {
      undo()
      return
    }
    // A reset that arrived during the write is known after the next poll of the socket.
    const settle = (): void => {
      if (socket.errored) undo()
    }
    nextTurn().then(nextTurn).then(settle, settle)
  })
}

/** The reply of an endpoint whose media type is `text/plain`. */
export class TextReply {
  constructor(readonly text: string) {}
}

/** Sends the result of a handler; undoes a delivery that fails. Sends nothing if the request was refused meanwhile. */
export function sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: unknown): void {
  const { headersSent } = response
  if (outcome instanceof TextReply) {
    if (!headersSent) sendText(response, outcome.text)
    return
  }
  if (!(outcome instanceof UndoableReply)) {
    if (!headersSent) sendJson(response, jsonText(outcome))
    return
  }
  if (headersSent) {
    outcome.undo()
    return
  }
  watchDelivery(request, response, outcome.undo)
  sendJson(response, jsonText(outcome.reply))
}

const INTERNAL_STATUS = 500

/** Context for the translation of an error. */
export interface ErrorContext {
  /** While the device restarts, every failure is attributed to the restart. Undefined: the endpoint does not need the device. */
  readonly rack?: { readonly state: BackplaneState } | undefined
  readonly refusal?: RefusalMapping | undefined
  readonly log: Log
}

/** Turns what a handler throws into the client's error. Logs failures that the client did not cause. */
function clientErrorOf(thrown: unknown, request: IncomingMessage, { rack, refusal, log }: ErrorContext): SlotwireError {
  const logged = (): object => ({ method: request.method, path: loggedPath(request), err: thrown })
  if (rack?.state === 'restarting' && !isRefusal(thrown)) return coreErrors.deviceRestarting({ cause: thrown })
  if (thrown instanceof ModuleRefusal) {
    return refusal?.(thrown) ?? coreErrors.commandRefused({ command: thrown.command, reason: thrown.reason }, { cause: thrown })
  }
  if (thrown instanceof SlotwireError) {
    if (thrown.status === INTERNAL_STATUS) log.error(logged(), 'a request failed')
    return thrown
  }
  log.error(logged(), 'a request failed for an unforeseen reason')
  return coreErrors.internal({ cause: thrown })
}

/** An error of the client is reported unchanged, even during a restart. */
function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof ModuleRefusal) return true
  return (
    thrown instanceof SlotwireError && thrown.status < INTERNAL_STATUS && thrown.definition !== coreErrors.moduleLost.definition
  )
}
