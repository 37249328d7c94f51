import { extensionPaths } from '@slotwire/contract'
import { EventParser, isRecord, type Timer } from '@slotwire/core'
import { ClientError } from '../client-error.ts'
import { type HttpClient, pauseMs } from '../http-client.ts'

/** A message of the event stream: a record, or `hello`, `gap`, `value`, `end`; docs/guide/events.md. */
export type Message = Readonly<Record<string, unknown>> & { readonly kind: string }

/** One user of the feed. */
export interface FeedSubscriber {
  /** A value to watch: a read as in `io/3/input/values`. */
  readonly watch?: { readonly resource: string; readonly everyMs: number } | undefined
  onMessage(message: Message): void
  /** The stream is open: what happens from now on arrives. */
  onOpen?(): void
  /** The stream ended and does not come back. */
  onFailure(error: unknown): void
}

/** Bytes arrive at least every 15 s; without any for so long the connection is lost, in milliseconds. */
const SILENCE_MS = 40_000
/** Pause after the server ended this stream for another of the same caller, in milliseconds: they would end each other forever. */
const REPLACED_MS = 30_000
/** A stream that lasted so long begins with the shortest pause again, in milliseconds. */
const STEADY_MS = 5000
/** Changes of what is watched open the stream again once for so long, in milliseconds: a page begins with several. */
const REWATCH_MS = 50
const POLL_WAIT = '20s'
/** Time for the answer to a long poll, in milliseconds. */
const POLL_DEADLINE_MS = 30_000
/** What a token may not watch has this status. */
const FORBIDDEN = 403
/** Failures that another attempt has, too. */
const FINAL = new Set(['credentials', 'not-found', 'invalid'])

/** Makes the feed of a client. `onState`: the stream is connected, or lost. */
export type MakeSource = (http: HttpClient, onState: (isConnected: boolean, error?: unknown) => void) => Feed

/** The event stream of a device, one for all users. Open while there is one; continues where it was after a lost connection. */
export class Feed {
  readonly #http: HttpClient
  readonly #onState: (isConnected: boolean, error?: unknown) => void
  readonly #subscribers = new Set<FeedSubscriber>()
  readonly #kinds: readonly string[]
  #isRunning = false
  /** Ends the present stream, to open it with other values, or not again. */
  #current: AbortController | undefined
  /** Runs while the present stream lacks a change of what is watched. */
  #rewatch: Timer | undefined
  #last = ''
  #isOpen = false
  #pauseMs = 0
  #isResting = false
  #wake = (): void => undefined

  /**
   * `onState`: the stream is connected, or lost. `after`: the id of the last record that the users have. `kinds`: the only records that they
   * want; those that are missing of other kinds are no gap then.
   */
  constructor(
    http: HttpClient,
    onState: (isConnected: boolean, error?: unknown) => void,
    { after = '', kinds = [] }: { readonly after?: string; readonly kinds?: readonly string[] } = {},
  ) {
    this.#last = after
    this.#kinds = kinds
    this.#http = http
    this.#onState = onState
    http.onClose(() => {
      for (const subscriber of this.#subscribers) subscriber.onFailure(undefined)
      this.#wake()
    })
  }

  /** The id of the last record; empty before the first message. */
  get last(): string {
    return this.#last
  }

  /** Delivers messages to a subscriber until the returned function is called. */
  add(subscriber: FeedSubscriber): () => void {
    const watched = this.#watches
    this.#subscribers.add(subscriber)
    if (this.#watches !== watched) this.#openAgain()
    else if (this.#isOpen) subscriber.onOpen?.()
    if (!this.#isRunning) void this.#follow()
    return () => {
      const before = this.#watches
      if (!this.#subscribers.delete(subscriber)) return
      if (this.#subscribers.size === 0) this.#current?.abort()
      else if (this.#watches !== before) this.#openAgain()
    }
  }

  /** Closes the stream for a while. Afterwards it continues after the last record, and brings what happened meanwhile. */
  rest(isResting: boolean): void {
    this.#isResting = isResting
    if (isResting) this.#current?.abort()
    else this.#wake()
  }

  #openAgain(): void {
    this.#rewatch ??= this.#http.clock.after(REWATCH_MS, () => this.#current?.abort())
  }

  get #watches(): string {
    const intervals = new Map<string, number>()
    for (const { watch } of this.#subscribers)
      if (watch !== undefined)
        intervals.set(watch.resource, Math.min(watch.everyMs, intervals.get(watch.resource) ?? watch.everyMs))
    return [...intervals]
      .map(([resource, everyMs]) => `${resource}@${everyMs}ms`)
      .sort()
      .join(',')
  }

  async #follow(): Promise<void> {
    const { clock, random, closing } = this.#http
    this.#isRunning = true
    for (let attempt = 0; this.#subscribers.size > 0 && !closing.aborted; attempt++) {
      if (this.#isResting) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const begun = clock.now()
      this.#pauseMs = 0
      this.#rewatch?.cancel()
      this.#rewatch = undefined
      const current = new AbortController()
      this.#current = current
      try {
        if (this.#http.streams) await this.#stream(current)
        else await this.#poll(current)
        throw new ClientError('the event stream ended', { kind: 'unreachable', canRetry: true })
      } catch (error) {
        this.#isOpen = false
        // Opened again with other values, or not needed any more.
        if (current.signal.reason instanceof DOMException || closing.aborted) {
          attempt = -1
          continue
        }
        if (error instanceof ClientError && FINAL.has(error.kind) && error.status !== 429) {
          this.#fail(error)
          attempt = -1
          continue
        }
        this.#onState(false, error)
        if (clock.now() - begun >= STEADY_MS) attempt = 0
        await clock.sleep(Math.max(this.#pauseMs, pauseMs(attempt, random)), closing).catch(() => undefined)
      } finally {
        current.abort()
      }
    }
    // Without users the position is too old some day: the next user begins with the present.
    this.#last = ''
    this.#isRunning = false
  }

  /** A refused value is no reason to end readers of records: they get a stream without values. */
  #fail(error: ClientError): void {
    const isOfWatches = this.#watches !== '' && (error.kind === 'invalid' || error.status === FORBIDDEN)
    for (const subscriber of [...this.#subscribers]) {
      if (isOfWatches && subscriber.watch === undefined) continue
      this.#subscribers.delete(subscriber)
      subscriber.onFailure(error)
    }
  }

  async #stream(current: AbortController): Promise<void> {
    const watches = this.#watches
    const parameters = { kinds: this.#kinds.join(','), watch: watches }
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString()
    const position: Record<string, string> = this.#last === '' ? {} : { 'last-event-id': this.#last }
    const headers = { accept: 'text/event-stream', ...position }
    const response = await this.#http.open(`${extensionPaths.events}${query === '' ? '' : `?${query}`}`, headers, current.signal)
    if (response.body === null) throw new ClientError('the event stream has no body', { kind: 'unreachable', canRetry: true })
    if (this.#last !== '') this.#opened()
    const parser = new EventParser(({ data }) => this.#deliver(data))
    const decoder = new TextDecoder()
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    for (;;) {
      const timer = this.#http.clock.after(SILENCE_MS, () => current.abort(new Error('the event stream is silent')))
      try {
        const { done, value } = await reader.read()
        if (done) return
        parser.add(decoder.decode(value, { stream: true }))
        if (parser.lastId !== '') this.#last = parser.lastId
      } finally {
        timer.cancel()
      }
    }
  }

  /** For a twin in this process, whose answers come as a whole. */
  async #poll(current: AbortController): Promise<void> {
    const { signal } = current
    for (;;) {
      const after = this.#last === '' ? '' : `&after=${this.#last}`
      const path = `${extensionPaths.events}?wait=${POLL_WAIT}${after}`
      const headers = { accept: 'application/json' }
      if (this.#last !== '') this.#opened()
      const page = await this.#http.request({
        method: 'GET',
        path,
        headers,
        safe: true,
        signal,
        deadlineMs: POLL_DEADLINE_MS,
      })
      if (!isRecord(page) || !Array.isArray(page['messages']))
        throw new ClientError('the events have no messages', { kind: 'unreachable' })
      this.#last = String(page['next'])
      for (const message of page['messages']) if (isRecord(message)) this.#deliver(message)
    }
  }

  #opened(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#onState(true)
    for (const subscriber of [...this.#subscribers]) subscriber.onOpen?.()
  }

  #deliver(data: Readonly<Record<string, unknown>>): void {
    const message = { ...data, kind: String(data['kind']) }
    if (message.kind === 'end') {
      if (data['reason'] === 'revoked')
        throw new ClientError('the access token was revoked, changed or has expired', { kind: 'credentials' })
      if (data['reason'] === 'replaced') this.#pauseMs = REPLACED_MS
    }
    for (const subscriber of [...this.#subscribers]) subscriber.onMessage(message)
    if (message.kind === 'hello') this.#opened()
  }
}
