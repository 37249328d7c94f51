import { type Clock, codeOf, Listeners, messageOf, type Random, unlessAborted } from '@slotwire/core'
import { ClientError, errorOf, notServed } from './client-error.ts'
import { readText, type Transport } from './transport.ts'

/** What a caller may say of any call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, with all its repetitions. */
  readonly deadlineMs?: number | undefined
  /** True: the call may be done twice without harm, so it is repeated like a read. */
  readonly idempotent?: boolean | undefined
  /** True: not what the server has in its cache, which may be a second old. */
  readonly fresh?: boolean | undefined
}

export interface Call extends CallOptions {
  readonly method: string
  /** Below the address of the device, as in `/api/io/1.0/3/input/values`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether it changes nothing. Such calls are repeated. */
  readonly safe?: boolean
  /** Whether an answer has the form that its reader needs; any by default. */
  accepts?(body: unknown): boolean
}

export interface HttpClientOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly deadlineMs: number
  readonly token: string | undefined
  readonly onRetry?: ((error: ClientError) => void) | undefined
  /** Whether the transport can deliver an answer in parts. */
  readonly streams: boolean
  /** For messages. */
  readonly address?: string
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000
const MAX_DOUBLINGS = 10
/** Errors of sockets before anything was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'EPROTO',
])
/** What errors without an answer mean, by the codes of sockets, TLS and the parser; and whether another attempt may succeed. */
const MEANINGS: readonly (readonly [code: RegExp, text: string, canRetry: boolean])[] = [
  [/^ECONNREFUSED$/, 'no device is at {address}: start it, or check address and port', true],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host of {address} is unknown: check its name', true],
  [/^(EPROTO$|ERR_SSL_)/, 'the server does not speak HTTPS: begin the address with http://, or give its HTTPS port', false],
  [/^HPE_/, 'the server does not speak HTTP: check the port, or begin the address with https://', false],
]
/** Errors of a server certificate; again nothing was sent. Another attempt does not help. */
const CERTIFICATE = /CERT|UNABLE_TO_VERIFY/

/** The pause before attempt `attempt` (0: the first repetition): doubling, with jitter, so that clients do not come together. */
export function pauseMs(attempt: number, random: Random): number {
  const whole = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, MAX_DOUBLINGS))
  return (whole * (1 + random())) / 2
}

/** Requests to one server: deadlines, repetitions, typed errors. Owns all its open requests; `close` ends them. */
export class HttpClient {
  readonly clock: Clock
  readonly random: Random
  readonly deadlineMs: number
  readonly streams: boolean
  /** Whether the server has `/slotwire/`: events, state, history, leases and `If-Match`. */
  extensions = false
  readonly #transport: Transport
  readonly #address: string
  readonly #onRetry: ((error: ClientError) => void) | undefined
  readonly #authorization: Readonly<Record<string, string>>
  readonly #aborts = new AbortListeners()
  readonly #open = new Set<AbortController>()
  readonly #closing = new AbortController()

  constructor(options: HttpClientOptions) {
    this.clock = options.clock
    this.random = options.random
    this.deadlineMs = options.deadlineMs
    this.streams = options.streams
    this.#transport = options.transport
    this.#address = options.address ?? 'this address'
    this.#onRetry = options.onRetry
    this.#authorization = options.token === undefined ? {} : { authorization: basicCredentials(options.token) }
  }

  /** Aborted by `close`. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** The moment at which a call must have ended. Throws `invalid` for a deadline that is not a number of milliseconds. */
  until({ deadlineMs }: CallOptions): number {
    const limitMs = deadlineMs ?? this.deadlineMs
    if (typeof limitMs === 'number' && limitMs >= 0) return this.clock.now() + limitMs
    throw new ClientError('deadlineMs is out of range: 0 ms or more', { kind: 'invalid' })
  }

  /** A read below `/slotwire/`. Rejects with `not-found` on a server without it. */
  async extension(path: string, options: CallOptions & Pick<Call, 'accepts'> = {}): Promise<unknown> {
    if (!this.extensions) throw notServed(path)
    return this.request({ ...options, method: 'GET', path, safe: true })
  }

  /** Sends a request and returns the JSON of its answer. Repeats it within the deadline if that cannot do it twice. */
  async request(call: Call): Promise<unknown> {
    const until = this.until(call)
    let before: ClientError | undefined
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(call, until)
      } catch (error) {
        if (!(error instanceof ClientError)) throw error
        // A read that the deadline cut off says less than the answer before it.
        if (call.safe === true && before !== undefined && error.status === undefined && this.clock.now() >= until) throw before
        before = error
        const waitMs = Math.max(error.retryAfterMs ?? 0, pauseMs(attempt, this.random))
        const isHarmless = call.safe === true || call.idempotent === true || !error.mayBeDone
        if (!this.#mayRepeat(error) || !isHarmless || this.clock.now() + waitMs >= until) throw error
        this.#onRetry?.(error)
        await this.#pause(waitMs, call.signal)
      }
    }
  }

  /** Ends with the reason of the caller's signal. `close` ends it, too: then the next attempt fails at once. */
  async #pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const unlisten = this.onAbort(signal, () => controller.abort())
    this.#open.add(controller)
    try {
      await this.clock.sleep(waitMs, controller.signal).catch(() => signal?.throwIfAborted())
    } finally {
      this.#open.delete(controller)
      unlisten()
    }
  }

  /** What is worth a repetition without help: not a lease, a session or a module that is not there. */
  #mayRepeat({ kind, canRetry, status }: ClientError): boolean {
    return (
      canRetry &&
      !this.closed &&
      (status === undefined || status === 429 || !['leased', 'session-changed', 'not-found'].includes(kind))
    )
  }

  async #attempt(call: Call, until: number): Promise<unknown> {
    const request = `${call.method} ${call.path}`
    const { response, text } = await this.#exchange(call, until)
    const body = parsed(text)
    if (!response.ok) throw errorOf(response, body, call)
    const isJson = body !== undefined || text === ''
    if (isJson && call.accepts?.(body) !== false) return body
    // A page, or another service, is the same in the next answer.
    const canRetry = !isJson && /json/.test(response.headers.get('content-type') ?? 'json')
    const problem = isJson ? 'does not have the form of the specification' : 'is not JSON'
    throw new ClientError(`${request}: the answer ${problem}: check that the address is that of a device`, {
      kind: 'unreachable',
      status: response.status,
      request,
      canRetry,
      mayBeDone: call.safe !== true,
    })
  }

  /** Sends a request once, and returns its answer with any status: the text of a body that is not JSON. */
  async answer(call: Call): Promise<{ status: number; headers: Readonly<Record<string, string>>; body: unknown }> {
    const { response, text } = await this.#exchange(call, this.until(call))
    const { status, headers } = response
    return { status, headers: Object.fromEntries(headers), body: text === '' ? undefined : (parsed(text) ?? text) }
  }

  /** Opens an answer without an end, such as the event stream. The deadline is for its head; `signal` ends it. */
  async open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const call: Call = { method: 'GET', path, headers, signal, safe: true }
    const { response, text } = await this.#exchange(call, this.until(call), true)
    if (response.ok) return response
    throw errorOf(response, parsed(text), call)
  }

  /** One exchange with its deadline. Every failure becomes a ClientError, but for the caller's own abort. */
  async #exchange(call: Call, until: number, endless = false): Promise<{ response: Response; text: string }> {
    const { method, path, signal, body } = call
    signal?.throwIfAborted()
    const limitMs = until - this.clock.now()
    if (this.closed || limitMs <= 0) throw this.#failure(undefined, AbortSignal.abort(), { ...call, safe: true })
    const controller = new AbortController()
    const unlisten = this.onAbort(signal, () => controller.abort(signal?.reason))
    this.#open.add(controller)
    const timer = this.clock.after(limitMs, () => controller.abort(new Error('no answer within the deadline')))
    let goesOn = false
    try {
      const answer = this.#transport(path, {
        method,
        headers: {
          ...this.#authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(call.fresh === true ? { 'cache-control': 'no-cache' } : {}),
          ...call.headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: controller.signal,
      })
      const response = await unlessAborted(answer, controller.signal)
      goesOn = endless && response.ok
      if (goesOn) this.#followOpen(controller, unlisten)
      return { response, text: goesOn ? '' : await unlessAborted(readText(response), controller.signal) }
    } catch (cause) {
      signal?.throwIfAborted()
      throw this.#failure(cause, controller.signal, call)
    } finally {
      timer.cancel()
      if (!goesOn) {
        unlisten()
        this.#open.delete(controller)
      }
    }
  }

  /** An answer without an end is ended by its caller's signal, or by `close`. */
  #followOpen(controller: AbortController, unlisten: () => void): void {
    controller.signal.addEventListener(
      'abort',
      () => {
        unlisten()
        this.#open.delete(controller)
      },
      { once: true },
    )
  }

  #failure(cause: unknown, signal: AbortSignal | undefined, { method, path, safe = false }: Call): ClientError {
    const request = `${method} ${path}`
    const root = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
    const code = codeOf(root)
    const fail = (text: string, canRetry: boolean, mayBeDone: boolean): ClientError =>
      new ClientError(`${request}: ${text}`, {
        kind: 'unreachable',
        code,
        request,
        canRetry,
        mayBeDone: mayBeDone && !safe,
        cause,
      })
    if (this.closed) return fail('the client is closed', false, true)
    if (signal?.aborted === true)
      return fail('no answer within the deadline: check the address and the network, or give it more time', true, true)
    if (CERTIFICATE.test(code ?? ''))
      return fail(`the certificate of the device is not trusted (${code}): give its CA as the option ca`, false, false)
    const [, text, canRetry = true] = MEANINGS.find(([codes]) => codes.test(code ?? '')) ?? []
    const meaning = text?.replace('{address}', this.#address)
    return fail(meaning ?? `the device cannot be reached: ${messageOf(root) || code}`, canRetry, !NOT_SENT.has(code ?? ''))
  }

  /** Calls `listener` when a signal is aborted. Returns a function that ends it. */
  onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
    return this.#aborts.add(signal, listener)
  }

  /** Calls `listener` when the client is closed. Returns a function that ends it. */
  onClose(listener: () => void): () => void {
    return this.#aborts.add(this.closing, listener)
  }

  /** Ends all open requests; later ones are refused. */
  close(): void {
    this.#closing.abort(new Error('the client was closed'))
    for (const controller of this.#open) controller.abort(new Error('the client was closed'))
  }
}

/** Spec "Authentication", rule 2; in UTF-8. */
function basicCredentials(token: string): string {
  return `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(`token:${token}`)))}`
}

/** The JSON in a text; undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Listeners of abort signals. A signal gets one for all of them, while there are some: of more than ten Node.js warns as of a leak. */
class AbortListeners {
  readonly #signals = new WeakMap<AbortSignal, { readonly listeners: Listeners<void>; readonly emit: () => void }>()

  /** Calls `listener` when the signal is aborted. Returns a function that ends it. */
  add(signal: AbortSignal | undefined, listener: () => void): () => void {
    if (signal === undefined) return () => undefined
    const entry = this.#signals.get(signal) ?? this.#begin(signal)
    const end = entry.listeners.add(listener)
    return () => {
      end()
      if (entry.listeners.size > 0 || this.#signals.get(signal) !== entry) return
      this.#signals.delete(signal)
      signal.removeEventListener('abort', entry.emit)
    }
  }

  #begin(signal: AbortSignal) {
    const listeners = new Listeners<void>()
    const entry = { listeners, emit: () => listeners.emit() }
    this.#signals.set(signal, entry)
    signal.addEventListener('abort', entry.emit, { once: true })
    return entry
  }
}
