import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { coreErrors, orElse } from '@slotwire/core'
import { type Answer, errorAnswer } from '@slotwire/service'
import type { Client, Token } from './callers.ts'
import type { FailedLogins, FailureVerdict } from './failed-logins.ts'

/** The present tokens of a device. */
export interface Tokens {
  /**
   * The token of a text; undefined if it is unknown, revoked or expired. Takes the same time for valid and invalid texts. Throws
   * `tokens-unreadable` (503) while the stored tokens cannot be read.
   */
  authenticate(text: string): Token | undefined
}

/** The only user name; spec "Authentication", rule 2. */
const USER = 'token'
/** Longest `Authorization` header that is parsed, in characters: several times the length for a token. */
const LONGEST_HEADER = 512
const SCHEME = 'basic'
/** RFC 6750, 2.1, with the scheme in any case as for Basic. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i
/** Base64 in canonical form: padded, with unused bits zero (RFC 4648, 3.5). */
const CREDENTIALS = /^ +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?)$/
const CONTROL_CHARACTER = /\p{Cc}/u

/** The token of an `Authorization` header: `Bearer`, or the password of the user `token` (RFC 7617, in UTF-8); undefined for any other. */
export function tokenTextOf(header: string): string | undefined {
  if (header.length > LONGEST_HEADER) return undefined
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return BEARER.exec(header)?.[1]
  const encoded = CREDENTIALS.exec(header.slice(SCHEME.length))?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  // Split at the first colon: only a password may contain one.
  const colon = text.indexOf(':')
  if (colon < 0 || text.slice(0, colon) !== USER || CONTROL_CHARACTER.test(text)) return undefined
  return text.slice(colon + 1)
}

/** Makes browsers ask for credentials (RFC 7617). */
const CHALLENGE = { 'www-authenticate': 'Basic realm="Slotwire", charset="UTF-8"' }

export interface LoginOptions {
  readonly tokens: Tokens
  /** Shared by all doors. */
  readonly failures: FailedLogins
}

/** The token of a request, or the verdict on its failed login. */
type Login = { readonly token: Token; readonly isValid: () => boolean } | { readonly verdict: FailureVerdict }

const NOT_LIMITED: FailureVerdict = { limited: false }

/**
 * Checks a request's credentials. The right token is accepted whatever happened before: an attacker cannot lock out a controller that must
 * stop or feed a watchdog. Wrong credentials are counted; missing ones are not, because browsers start without.
 */
export function login(request: IncomingMessage, client: Client, { tokens, failures }: LoginOptions): Login {
  const header = request.headers.authorization ?? ''
  if (header === '') return { verdict: NOT_LIMITED }
  // Also without a token in it, so that every wrong header takes the same time.
  const token = tokens.authenticate(tokenTextOf(header) ?? '')
  if (token !== undefined) return { token, isValid: () => isStillGranted(header, token, tokens) }
  return { verdict: failures.add(client.address, client.viaProxy ? requestKey(request, header) : undefined) }
}

/** Whether a header still gives the rights of a token. True while the tokens cannot be read: a fault of the disk ends no lease and no stream. */
function isStillGranted(header: string, token: Token, tokens: Tokens): boolean {
  const { id, readOnly, services } = token
  const now = orElse<Token | undefined>(token, () => tokens.authenticate(tokenTextOf(header) ?? ''))
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
