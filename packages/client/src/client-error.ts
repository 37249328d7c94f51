/** What went wrong, for a program: each kind has its own remedy. */
export type ErrorKind =
  | 'unreachable'
  | 'credentials'
  | 'version'
  | 'not-found'
  | 'invalid'
  | 'refused'
  | 'leased'
  | 'session-changed'
  | 'module'
  | 'restarting'

export interface ClientErrorOptions extends ErrorOptions {
  readonly kind: ErrorKind
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly request?: string | undefined
  readonly canRetry?: boolean
  readonly retryAfterMs?: number | undefined
  readonly mayBeDone?: boolean
}

/** Every failure of a call. An abort by the caller's own signal rejects with the reason of that signal instead. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly kind: ErrorKind
  /** Status of the answer, if there was one. */
  readonly status: number | undefined
  /** Name of the error in docs/errors.md; without an answer that of the system, as `ECONNREFUSED`. */
  readonly code: string | undefined
  /** As in `POST /api/io/1.0/3/output/state`. */
  readonly request: string | undefined
  /** Whether the same call may succeed later. */
  readonly canRetry: boolean
  /** How long to wait before that, if the server said so. */
  readonly retryAfterMs: number | undefined
  /** Of a write: whether the device may have done it. */
  readonly mayBeDone: boolean

  constructor(message: string, options: ClientErrorOptions) {
    super(message, options)
    this.kind = options.kind
    this.status = options.status
    this.code = options.code
    this.request = options.request
    this.canRetry = options.canRetry ?? false
    this.retryAfterMs = options.retryAfterMs
    this.mayBeDone = options.mayBeDone ?? false
  }
}

/** Statuses with a kind of their own; other 4xx are `invalid`, other 5xx `module`. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: 'refused',
  401: 'credentials',
  403: 'credentials',
  404: 'not-found',
  408: 'unreachable',
  409: 'refused',
  412: 'session-changed',
  423: 'leased',
  429: 'credentials',
  502: 'restarting',
  503: 'restarting',
  504: 'unreachable',
}
/** Errors of a server that has done nothing, although its status does not say so. */
const SURELY_NOT_DONE = new Set(['service-unreachable', 'queue-full', 'starting', 'stopping', 'slot-not-usable'])
/** Statuses below 500 that the same call may not get later. */
const MAY_SUCCEED_LATER = new Set([404, 408, 412, 423, 429])
const CLIENT_ERROR = 400
const SERVER_ERROR = 500
const SERVICE_UNAVAILABLE = 503
const MS_PER_SECOND = 1000

/** Of an extension that the original services do not have. */
export function notServed(what: string): ClientError {
  return new ClientError(`this server has no ${what}: it only has the specification`, { kind: 'not-found' })
}

/** What a status of 400 or more means for a program. */
export function kindOfStatus(status: number): ErrorKind {
  return KINDS[status] ?? (status < SERVER_ERROR ? 'invalid' : 'module')
}

/** The error of an answer whose status is not 2xx. A proxy may have changed the body: the status counts (spec "Errors"). */
export function errorOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  call: { readonly method: string; readonly path: string; readonly safe?: boolean },
): ClientError {
  const request = `${call.method} ${call.path}`
  const code = headers.get('slotwire-error') ?? undefined
  const isRedirect = status < CLIENT_ERROR
  const text = isRedirect
    ? `HTTP status ${status}, a redirection: give the address of the device itself`
    : `HTTP status ${status}`
  const explanation = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : text
  const mayBeDone = code === 'module-lost' || (status >= SERVER_ERROR && !isSurelyNotDone(status, headers, code))
  return new ClientError(`${request}: ${explanation}`, {
    kind: isRedirect ? 'unreachable' : kindOfStatus(status),
    status,
    code,
    request,
    canRetry: status >= SERVER_ERROR || MAY_SUCCEED_LATER.has(status),
    retryAfterMs: retryAfterMs(headers),
    mayBeDone: mayBeDone && call.safe !== true,
  })
}

/** Seconds, or a date by the clock of the server (RFC 9110, 10.2.3). */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * MS_PER_SECOND : Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return ms >= 0 ? ms : undefined
}

function isSurelyNotDone(status: number, headers: Headers, code: string | undefined): boolean {
  if (code !== undefined) return SURELY_NOT_DONE.has(code)
  return status === SERVICE_UNAVAILABLE && headers.has('retry-after')
}

/** A program may throw anything, and abort a signal with anything. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('not an Error was thrown', { cause: reason })
}

/** What users of a surface can do about an error, by its name: the server's remedies are requests. */
export type Remedies = Readonly<Record<string, string>>

/** The message of a named error for users who send no requests: without the request, and with the surface's own remedy if it has one. */
export function inWordsOf(remedies: Remedies, { message, request, code = '' }: ClientError): string {
  const remedy = Object.hasOwn(remedies, code) ? remedies[code] : undefined
  const text = request === undefined || code === '' ? message : message.replace(`${request}: `, '')
  if (remedy === undefined) return text
  const end = text.lastIndexOf(': ')
  return `${end < 0 ? text : text.slice(0, end)}: ${remedy}`
}
