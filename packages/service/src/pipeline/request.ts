import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { BodyOf, Endpoint, ParametersOf } from '@slotwire/contract'
import { defineErrors } from '@slotwire/core'
import type { WriteOptions } from '@slotwire/driver'

/** A request, checked against the contract. */
export interface Request<Body = unknown, Parameters = Readonly<Record<string, number>>> {
  readonly body: Body
  readonly parameters: Parameters
}

/** A request with the types of its endpoint. */
export type RequestOf<E extends Endpoint> = Request<BodyOf<E>, ParametersOf<E>>

/** Who sent a request, and what its headers say. */
export interface Sender {
  /** Undefined: the process itself. */
  readonly caller: Caller | undefined
  readonly headers: IncomingHttpHeaders
}

/** Path of a request for the log, without query and without the user of an absolute target: both may contain secrets. */
export function loggedPath({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
}

/** Whether the request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether a method only reads (RFC 9110, 9.2.1). A GET with an effect is known only by its endpoint. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** The client of a request, as identified by the door. */
export interface Caller {
  /** The door determines the rights, not the address: a local program at the network door is a network caller. */
  readonly door: 'loopback' | 'network'
  /** IP address of the client: from the connection, or from a configured proxy. */
  readonly address: string
  /** The token of the request; undefined at the loopback door. */
  readonly token?: { readonly id: string; readonly name: string }
  /** Refuse requests with an effect, and keep notifications pending. */
  readonly readOnly: boolean
  /** Whether the caller may learn that something is at a path of this server; undefined: at every path. */
  readonly sees?: (path: string) => boolean
  /** Whether the caller still has these rights: false once its token was revoked, has expired or was changed. Undefined: always. */
  readonly isValid?: () => boolean
}

/** A request with its route's parameters. */
export interface MatchedRequest {
  /** Parameters of the path, as text and in order. */
  readonly values: readonly string[]
  /** Undefined: the process itself. */
  readonly caller: Caller | undefined
}

/** Handles a request. The response is sent when it returns, or when its promise settles. */
export type Handle = (request: IncomingMessage, response: ServerResponse, match: MatchedRequest) => void | Promise<unknown>

/** No client gets it: it is in the log and in records. */
export const { requestAbandoned } = defineErrors({
  requestAbandoned: {
    status: 499,
    message: 'the client closed its connection before the turn of its request came: nothing was done',
  },
})

/**
 * Asks at the end of a wait whether the client has closed its connection: throws `requestAbandoned`. Such a client looks like one that has
 * only ended its own side and still reads. An interim response (102, RFC 9110, 15.2) shows the difference: a closed connection answers it
 * with a reset, which the next write finds.
 */
export function departureOf({ socket, httpVersion }: IncomingMessage, response: ServerResponse): Required<WriteOptions>['wait'] {
  /** Resolves with whether the connection is broken. Sends nothing while other data waits, or to a client of HTTP/1.0, which knows none. */
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (socket.destroyed || response.socket !== socket || socket.writableLength > 0 || httpVersion === '1.0') {
        resolve(socket.destroyed)
      } else response.writeProcessing((error?: Error | null) => resolve(error instanceof Error || socket.destroyed))
    })
  const onEnd = (): void => void ask()
  let hasBegun = false
  return {
    begin: () => {
      hasBegun = true
      if (socket.readableEnded) onEnd()
      else socket.once('end', onEnd)
      // Not every wait ends with a turn.
      response.once('close', () => socket.off('end', onEnd))
    },
    end: async () => {
      if (!hasBegun) return
      socket.off('end', onEnd)
      if (socket.readableEnded && (await ask())) throw requestAbandoned()
    },
  }
}
