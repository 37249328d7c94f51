import { ClientError } from '../client-error.ts'
import type { Connection } from '../connection.ts'
import { Feed, type Message } from '../live/feed.ts'
import { merged } from '../live/values.ts'
import type { FromLeader, SentError, Wants } from './tabs.ts'

function sentError(error: unknown): SentError {
  const { message, kind, status } =
    error instanceof ClientError ? error : new ClientError('the event stream ended', { kind: 'unreachable', canRetry: true })
  return { message, kind, status }
}

/** The event stream in the leading tab: watches what all tabs want, and sends them each message. */
export class StreamHub {
  readonly #feed: Feed
  readonly #send: (message: FromLeader) => void
  /** What each tab wants, with the functions that end it. */
  readonly #tabs = new Map<string, Map<string, { readonly everyMs: number; readonly stop: () => void }>>()
  /** Last value messages, in full, for tabs that come later. Bounded by what is watched. */
  readonly #values = new Map<string, Message>()
  #isOpen = false

  /** `after`: id of the last record that the tabs have. */
  constructor(connection: Connection, send: (message: FromLeader) => void, after: string) {
    this.#send = send
    this.#feed = new Feed(
      connection,
      (isConnected, error) => {
        if (!isConnected) this.#isOpen = false
        send({ type: 'state', isConnected, ...(isConnected ? {} : { error: sentError(error) }) })
      },
      { after },
    )
    this.#feed.add({
      onMessage: (message) => {
        if (message.kind === 'value') this.#keep(message)
        send({ type: 'message', message })
      },
      onOpen: () => {
        this.#isOpen = true
        send({ type: 'open' })
      },
      // Without an error this tab closes: another one leads.
      onFailure: (error) => {
        if (error !== undefined) send({ type: 'failed', error: sentError(error) })
      },
    })
  }

  /** Takes over what a tab wants from now on, and sends it the values that are known. */
  want(tab: string, wants: Wants): void {
    const before = this.#tabs.get(tab)
    const watched = new Map(
      Object.entries(wants).map(([resource, everyMs]) => {
        const same = before?.get(resource)
        return [resource, same?.everyMs === everyMs ? same : { everyMs, stop: this.#watch(resource, everyMs) }]
      }),
    )
    this.#tabs.set(tab, watched)
    for (const [resource, { everyMs, stop }] of before ?? []) if (watched.get(resource)?.everyMs !== everyMs) stop()
    if (before === undefined && this.#isOpen) this.#send({ type: 'open', to: tab })
    for (const resource of watched.keys()) {
      const message = before?.has(resource) === true ? undefined : this.#values.get(resource)
      if (message !== undefined) this.#send({ type: 'message', to: tab, message })
    }
    this.#forgetUnwatched()
  }

  /** A tab is gone. */
  forget(tab: string): void {
    for (const { stop } of this.#tabs.get(tab)?.values() ?? []) stop()
    this.#tabs.delete(tab)
    this.#forgetUnwatched()
  }

  #watch(resource: string, everyMs: number): () => void {
    return this.#feed.add({
      watch: { resource, everyMs },
      onMessage: () => undefined,
      onFailure: (error) => {
        if (error !== undefined) this.#send({ type: 'failed', resource, error: sentError(error) })
      },
    })
  }

  #keep(message: Message): void {
    const resource = String(message['watch'])
    const before = this.#values.get(resource)
    const isWhole = message['full'] === true || 'error' in message
    if (isWhole) this.#values.set(resource, message)
    else if (before !== undefined && !('error' in before))
      this.#values.set(resource, { ...message, full: true, value: merged(before['value'], message['value']) })
  }

  #forgetUnwatched(): void {
    for (const resource of this.#values.keys())
      if (![...this.#tabs.values()].some((wants) => wants.has(resource))) this.#values.delete(resource)
  }
}
