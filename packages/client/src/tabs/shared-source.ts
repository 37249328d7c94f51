import { ClientError } from '../client-error.ts'
import type { Connection } from '../connection.ts'
import type { MessageSource, Subscriber } from '../live/feed.ts'
import { StreamHub } from './stream-hub.ts'
import type { FromLeader, SentError, TabMessage, Tabs, Wants } from './tabs.ts'

/**
 * The event stream of a device, one for all tabs: HTTP/1.1 allows six connections for each browser. The leading tab has the stream; when it
 * goes, the next one continues after the last record that it has.
 */
export class SharedSource implements MessageSource {
  readonly #connection: Connection
  readonly #onState: (isConnected: boolean, error?: unknown) => void
  readonly #tabs: Tabs
  readonly #subscribers = new Set<Subscriber>()
  #hub: StreamHub | undefined
  #announced = ''
  #isOpen = false
  #last = ''

  constructor(connection: Connection, onState: (isConnected: boolean, error?: unknown) => void, tabs: Tabs) {
    this.#connection = connection
    this.#onState = onState
    this.#tabs = tabs
    tabs.onMessage((message) => this.#receive(message))
    tabs.onLead(() => this.#lead())
    connection.closing.addEventListener('abort', () => {
      tabs.close()
      for (const subscriber of this.#subscribers) subscriber.onFailure(undefined)
    })
  }

  add(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    this.#announce()
    if (this.#isOpen) subscriber.onOpen?.()
    return () => {
      if (this.#subscribers.delete(subscriber)) this.#announce()
    }
  }

  get #wants(): Wants {
    const wants: Record<string, number> = {}
    for (const { watch } of this.#subscribers)
      if (watch !== undefined) wants[watch.resource] = Math.min(watch.everyMs, wants[watch.resource] ?? watch.everyMs)
    return wants
  }

  /** Says what this tab wants, if that is new; `again`: to a new leader. */
  #announce(again = false): void {
    const wants = this.#wants
    const text = JSON.stringify(wants)
    if (this.#announced === text && !again) return
    this.#announced = text
    if (this.#hub !== undefined) this.#hub.want(this.#tabs.own, wants)
    else this.#tabs.post({ type: 'wants', from: this.#tabs.own, wants })
  }

  #lead(): void {
    this.#hub = new StreamHub(this.#connection, (message) => this.#send(message), this.#last)
    this.#announce(true)
    this.#tabs.post({ type: 'leads' })
  }

  #send(message: FromLeader): void {
    if (message.to !== this.#tabs.own) this.#tabs.post(message)
    if (message.to === undefined || message.to === this.#tabs.own) this.#take(message)
  }

  #receive(message: TabMessage): void {
    if (message.type === 'wants') {
      const { from, wants } = message
      if (this.#hub === undefined) return
      this.#hub.want(from, wants)
      this.#tabs.onGone(from, () => this.#hub?.forget(from))
    } else if (message.to === undefined || message.to === this.#tabs.own) this.#take(message)
  }

  #take(message: FromLeader): void {
    switch (message.type) {
      case 'leads':
        this.#announce(true)
        break
      case 'open':
        this.#isOpen = true
        this.#onState(true)
        for (const subscriber of [...this.#subscribers]) subscriber.onOpen?.()
        break
      case 'state':
        this.#isOpen = message.isConnected
        this.#onState(message.isConnected, message.error === undefined ? undefined : errorFrom(message.error))
        break
      case 'message': {
        const { id, last } = message.message
        if (typeof id === 'string') this.#last = id
        else if (typeof last === 'string') this.#last = last
        for (const subscriber of [...this.#subscribers]) subscriber.onMessage(message.message)
        break
      }
      case 'failed':
        for (const subscriber of [...this.#subscribers]) {
          if (message.resource !== undefined && subscriber.watch?.resource !== message.resource) continue
          this.#subscribers.delete(subscriber)
          subscriber.onFailure(errorFrom(message.error))
        }
        break
    }
  }
}

function errorFrom({ message, kind, status }: SentError): ClientError {
  return new ClientError(message, { kind, status, canRetry: true })
}
