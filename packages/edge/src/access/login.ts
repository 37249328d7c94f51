import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { coreErrors, orElse } from '@slotwire/core'
import { type Answer, errorAnswer } from '@slotwire/service'
import type { Client } from './callers.ts'
import { tokenTextOf } from './credentials.ts'
import type { FailedLogins, FailureVerdict } from './failed-logins.ts'
import type { Proof, Token, Tokens } from './token.ts'

/** Makes browsers ask for credentials (RFC 7617). */
const CHALLENGE = { 'www-authenticate': 'Basic realm="Slotwire", charset="UTF-8"' }

export interface LoginOptions {
  readonly tokens: Tokens
  /** Shared by all doors. */
  readonly failures: FailedLogins
}

/** The last login on a connection, with its `Authorization` header. */
interface RememberedLogin {
  readonly header: string
  readonly proof: Proof
}

/** Property of the socket, so that it is dropped with the connection. */
const REMEMBERED = Symbol('remembered login')

type WithLogin = Socket & { [REMEMBERED]?: RememberedLogin }

/** The token of a request, or the verdict on its failed login. */
export type Login = { readonly token: Token; readonly isValid: () => boolean } | { readonly verdict: FailureVerdict }

const NOT_LIMITED: FailureVerdict = { limited: false }

/**
 * Checks a request's credentials. The right token is accepted whatever happened before: an attacker cannot lock out a controller that must
 * stop or feed a watchdog. Wrong credentials are counted; missing ones are not, because browsers start without.
 */
export function login(request: IncomingMessage, client: Client, { tokens, failures }: LoginOptions): Login {
  const header = request.headers.authorization ?? ''
  if (header === '') return { verdict: NOT_LIMITED }
  const token = tokenFor(request.socket, header, tokens)
  if (token !== undefined) return { token, isValid: () => isStillGranted(header, token, tokens) }
  return { verdict: failures.add(client.address, client.viaProxy ? requestKey(request, header) : undefined) }
}

/** Does not hash a header again that was checked on this connection, but checks each time whether the token is still valid. */
function tokenFor(socket: Socket, header: string, tokens: Tokens): Token | undefined {
  const remembered = rememberedLogin(socket, header)
  const token = remembered && tokens.accept(remembered)
  if (token !== undefined) return token
  // Also without a token, so that every wrong header takes the same time.
  const proof = tokens.prove(tokenTextOf(header) ?? '')
  if (proof === undefined) return undefined
  rememberLogin(socket, header, proof)
  return tokens.accept(proof)
}

/** Whether a header still gives the rights of a token. True while the tokens cannot be read: a fault of the disk ends no lease and no stream. */
function isStillGranted(header: string, token: Token, tokens: Tokens): boolean {
  const { id, readOnly, services } = token
  const now = orElse<Token | undefined>(token, () => {
    const proof = tokens.prove(tokenTextOf(header) ?? '')
    return proof && tokens.accept(proof)
  })
  return now?.id === id && now.readOnly === readOnly && String(now.services) === String(services)
}

/** 401, or 429 after too many failures. */
export function loginRefusal(verdict: FailureVerdict): Answer {
  if (!verdict.limited) return challenge()
  const seconds = verdict.retryAfterSeconds
  return errorAnswer(coreErrors.tooManyFailedLogins({ seconds }), { 'retry-after': String(seconds) })
}

/** 401 with `extra` headers. Never reveals which half was wrong. */
export function challenge(extra: Readonly<Record<string, string>> = {}): Answer {
  return errorAnswer(coreErrors.credentialsRequired(), { ...CHALLENGE, ...extra })
}

/**
 * Identifies a client request for which a proxy sends several: the same `X-Request-ID` and credentials. A client that chooses its own id
 * gains nothing: it can only repeat a wrong guess for free.
 */
function requestKey({ headers }: IncomingMessage, credentials: string): string | undefined {
  const id = headers['x-request-id']
  return id === undefined ? undefined : hash('sha256', `${String(id)}\n${credentials}`, 'base64')
}

/** Stores the login of this header in place of the previous one. */
function rememberLogin(socket: WithLogin, header: string, proof: Proof): void {
  socket[REMEMBERED] = { header, proof }
}

/** The proof for this header if it was the last one on this connection. `accept` decides whether it is still valid. */
function rememberedLogin(socket: WithLogin, header: string): Proof | undefined {
  const remembered = socket[REMEMBERED]
  return remembered !== undefined && isSame(remembered.header, header) ? remembered.proof : undefined
}

/** Compares texts of one length in constant time: clients of a proxy share a connection and must not guess credentials. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
