import { recordKinds } from '@slotwire/contract'
import { isRecord, Listeners } from '@slotwire/core'
import { ClientError, notServed } from '../client-error.ts'
import type { HttpClient } from '../http-client.ts'
import { type Sessions, throwLater } from '../sessions.ts'
import { Feed, type MakeSource, type Message } from './feed.ts'
import { type Gap, Inbox } from './inbox.ts'
import { type Interval, intervalMs, ValueReads } from './values.ts'

/** The event stream was lost, or is back. */
export interface ConnectionChange {
  readonly isConnected: boolean
  /** Why it was lost. */
  readonly error?: unknown
}

/** An alert of a pin. On a server without events `id` and `at` are missing: it is as old as the poll that found it. */
export interface Alert {
  readonly kind: 'alert'
  readonly slot: number
  readonly pin: number
  /** What the operator calls the pin. */
  readonly name?: string
  /** Names of the flags of `GET notification/<pin>`. */
  readonly alerts: readonly string[]
  readonly id?: string
  readonly at?: string
}

/** Which records a reader wants: kinds and slots, all by default. */
export interface RecordFilter {
  readonly kinds?: readonly string[] | undefined
  readonly slots?: readonly number[] | undefined
}

/** A record of the journal; docs/guide/events.md. */
export type JournalRecord = Message

/** Messages that are no records. */
const NO_RECORDS = new Set(['hello', 'value', 'end', 'gap'])
/** Pins are asked so often for alerts on a server without events, in milliseconds. */
const ALERT_POLL_MS = 100

/** What a device reports by itself: events, alerts and values. */
export class Live {
  readonly changes = new Listeners<ConnectionChange>(throwLater)
  readonly #http: HttpClient
  readonly #feed: Feed
  readonly #values: ValueReads
  #isConnected = true

  constructor(http: HttpClient, sessions: Sessions, makeSource: MakeSource = (...args) => new Feed(...args)) {
    this.#http = http
    this.#feed = makeSource(http, (isConnected, error) => this.#setConnected(isConnected, error))
    this.#values = new ValueReads(http, this.#feed)
    this.#onSessions = (message) => {
      if (message.kind === 'module' || message.kind === 'device' || message.kind === 'hello') sessions.lookNow()
    }
  }

  readonly #onSessions: (message: Message) => void

  /** Closes the event stream for a while; `Feed.rest`. */
  rest(isResting: boolean): void {
    this.#feed.rest(isResting)
  }

  /** The records of the journal from now on, and gaps. */
  events({ kinds, slots }: RecordFilter = {}, signal?: AbortSignal): Inbox<JournalRecord> {
    const unknown = kinds?.find((kind) => !(recordKinds as readonly string[]).includes(kind))
    if (unknown !== undefined)
      throw new ClientError(`kinds has ${JSON.stringify(unknown)}, which is no kind: use ${recordKinds.join(', ')}`, {
        kind: 'invalid',
      })
    return this.#inbox<JournalRecord>(signal, (inbox) =>
      this.#subscribe(inbox, (message) => {
        if (NO_RECORDS.has(message.kind)) return
        const isWanted = kinds?.includes(message.kind) !== false && slots?.includes(Number(message['slot'])) !== false
        if (isWanted) inbox.push(message)
      }),
    )
  }

  /** The alerts of a pin from now on, and gaps. `path`: where they can be read on a server without events. */
  alerts({ slot, pin, path }: { slot: number; pin: number; path: string }, signal?: AbortSignal): Inbox<Alert> {
    return this.#inbox<Alert>(signal, (inbox) => {
      if (this.#http.extensions)
        return this.#subscribe(inbox, (message) => {
          const isWanted = message.kind === 'alert' && message['slot'] === slot && message['pin'] === pin
          if (isWanted) inbox.push(message as unknown as Alert)
        })
      let isLost = false
      const onLost = (): void => {
        isLost = true
      }
      const onValue = (value: unknown): void => {
        inbox.markReady()
        if (isLost) inbox.push({ kind: 'gap', missing: undefined })
        isLost = false
        const alerts = isRecord(value) ? Object.keys(value).filter((name) => value[name] === true) : []
        if (alerts.length > 0) inbox.push({ kind: 'alert', slot, pin, alerts })
      }
      return this.#values.poll(path, ALERT_POLL_MS, { onValue, onLost, onFailure: (error) => inbox.end(error) })
    })
  }

  /**
   * What `ofValue` and `ofError` make of the answers to a read, first and when that changes. `ofError`: why the module cannot be read now.
   */
  follow<Item>(
    read: { readonly resource: string; readonly path: string },
    { every, signal }: { readonly every: Interval; readonly signal?: AbortSignal | undefined },
    ofValue: (value: unknown) => Item | undefined,
    ofError?: (error: ClientError) => Item,
  ): Inbox<Item> {
    const everyMs = intervalMs(every)
    return this.#inbox<Item>(signal, (inbox) => {
      let sent = ''
      const push = (item: Item | undefined, text = JSON.stringify(item)): void => {
        inbox.markReady()
        if (item === undefined || text === sent) return
        sent = text
        inbox.push(item)
      }
      return this.#values.follow(read, everyMs, {
        onValue: (value) => push(ofValue(value)),
        onError: (error) => ofError && push(ofError(error), error.message),
        onFailure: (error) => inbox.end(error),
      })
    })
  }

  #inbox<Item>(signal: AbortSignal | undefined, start: (inbox: Inbox<Item>) => () => void): Inbox<Item> {
    signal?.throwIfAborted()
    const inbox = new Inbox<Item>()
    const stop = start(inbox)
    const unlisten = this.#http.onAbort(signal, () => inbox.end(signal?.reason))
    const unlistenClose = this.#http.onClose(() => inbox.end())
    inbox.begin(() => {
      unlisten()
      unlistenClose()
      stop()
    })
    if (this.#http.closed) inbox.end()
    return inbox
  }

  #subscribe<Item>(inbox: Inbox<Item>, onRecord: (message: Message) => void): () => void {
    if (!this.#http.extensions) throw notServed('event stream')
    return this.#feed.add({
      onMessage: (message) => {
        this.#onSessions(message)
        if (message.kind === 'gap') inbox.push(gapOf(message))
        else onRecord(message)
      },
      onOpen: () => inbox.markReady(),
      onFailure: (error) => inbox.end(error),
    })
  }

  #setConnected(isConnected: boolean, error?: unknown): void {
    if (this.#isConnected === isConnected) return
    this.#isConnected = isConnected
    this.changes.emit(isConnected ? { isConnected } : { isConnected, error })
  }
}

function gapOf(message: Message): Gap {
  const missing = message['missing']
  return { kind: 'gap', missing: typeof missing === 'number' ? missing : undefined }
}

/** Calls `listener` with each entry of an inbox, until it ends. */
export async function forEach<Item>(inbox: Inbox<Item>, listener: (entry: Item | Gap) => void): Promise<void> {
  for await (const entry of inbox) listener(entry)
}
