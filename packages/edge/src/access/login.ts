import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { coreErrors } from '@slotwire/core'
import { type Answer, errorAnswer } from '@slotwire/service'
import { passwordOf } from './basic-credentials.ts'
import type { Client } from './callers.ts'
import type { FailedLogins, FailureVerdict } from './failed-logins.ts'
import type { Proof, Token, Tokens } from './token.ts'

/** Tells browsers what to ask for (RFC 7617). */
const CHALLENGE = { 'www-authenticate': 'Basic realm="Slotwire", charset="UTF-8"' }

export interface LoginOptions {
  readonly tokens: Tokens
  /** One for all doors. */
  readonly failures: FailedLogins
}

/** What a connection has proved last, and with which `Authorization` header. */
interface RememberedLogin {
  readonly header: string
  readonly proof: Proof
}

/** Kept with the connection itself, and gone with it. */
const REMEMBERED = Symbol('remembered login')

type WithLogin = Socket & { [REMEMBERED]?: RememberedLogin }

/** The token that a request came with; or, without the right one, what its failure is to be answered. */
export type Login = { readonly token: Token } | { readonly verdict: FailureVerdict }

const NOT_LIMITED: FailureVerdict = { limited: false }

/**
 * Looks at a request's credentials. Right ones are let in whatever came before from the same address: nobody can lock out a controller that
 * has to stop or to feed something. Wrong ones are counted; none at all are not, browsers begin so.
 */
export function login(request: IncomingMessage, client: Client, { tokens, failures }: LoginOptions): Login {
  const header = request.headers.authorization ?? ''
  if (header === '') return { verdict: NOT_LIMITED }
  const token = tokenFor(request.socket, header, tokens)
  if (token !== undefined) return { token }
  return { verdict: failures.add(client.address, client.viaProxy ? requestKey(request, header) : undefined) }
}

/** What a connection has proved with this header is not worked out again; whether the token is still good is asked each time. */
function tokenFor(socket: Socket, header: string, tokens: Tokens): Token | undefined {
  const remembered = rememberedLogin(socket, header)
  const token = remembered && tokens.accept(remembered)
  if (token !== undefined) return token
  // Also where there is no password to look at: every wrong header costs the same.
  const proof = tokens.prove(passwordOf(header) ?? '')
  if (proof === undefined) return undefined
  rememberLogin(socket, header, proof)
  return tokens.accept(proof)
}

/** 401, or 429 for those who failed too often. */
export function loginRefusal(verdict: FailureVerdict): Answer {
  if (!verdict.limited) return challenge()
  const seconds = verdict.retryAfterSeconds
  return errorAnswer(coreErrors.tooManyFailedLogins({ seconds }), { 'retry-after': String(seconds) })
}

/** 401, with `extra` headers. Never says which half was wrong. */
export function challenge(extra: Readonly<Record<string, string>> = {}): Answer {
  return errorAnswer(coreErrors.credentialsRequired(), { ...CHALLENGE, ...extra })
}

/**
 * What tells that a proxy asks about one request of its client again: the same `X-Request-ID` with the same credentials. A client that
 * chooses the id itself gains nothing: what it tries a second time for free it knows to be wrong.
 */
function requestKey({ headers }: IncomingMessage, credentials: string): string | undefined {
  const id = headers['x-request-id']
  return id === undefined ? undefined : hash('sha256', `${String(id)}\n${credentials}`, 'base64')
}

/** Notes what this header has proved on this connection, in place of what another one has. */
function rememberLogin(socket: WithLogin, header: string, proof: Proof): void {
  socket[REMEMBERED] = { header, proof }
}

/** What this very header has proved on this connection, if it was the last that did. Whether that still holds is for the tokens to say. */
function rememberedLogin(socket: WithLogin, header: string): Proof | undefined {
  const remembered = socket[REMEMBERED]
  return remembered !== undefined && isSame(remembered.header, header) ? remembered.proof : undefined
}

/** Takes as long wherever two texts of one length differ: behind a proxy a connection is shared by clients that must not guess each other's. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
