import { Listeners } from '@slotwire/core'
import { type DnsMessage, decodeMessage, encodeMessage } from './dns-message.ts'
import type { Datagram, MulticastLink } from './open-link.ts'

/** A network in memory: every host on it receives every message at once, its own included. */
export class Lan {
  readonly #received = new Listeners<Buffer>()
  /** All multicast messages. */
  readonly messages: DnsMessage[] = []

  /** Removes and returns the messages since the last call. */
  take(): readonly DnsMessage[] {
    return this.messages.splice(0)
  }

  get responses(): readonly DnsMessage[] {
    return this.messages.filter((message) => message.response)
  }

  /** Sends a message to all hosts. */
  broadcast(message: DnsMessage): void {
    this.#deliver(encodeMessage(message))
  }

  send(bytes: Buffer): void {
    const message = decodeMessage(bytes)
    if (message === undefined) throw new Error('the message cannot be decoded')
    this.messages.push(message)
    this.#deliver(bytes)
  }

  listen(listener: (bytes: Buffer) => void): () => void {
    return this.#received.add(listener)
  }

  #deliver(bytes: Buffer): void {
    // Deliver after the sender has finished.
    queueMicrotask(() => this.#received.emit(bytes))
  }
}

/** A host's interfaces, each in a network. */
export class LanLink implements MulticastLink {
  readonly #lans: ReadonlyMap<string, Lan>
  readonly #received = new Listeners<Datagram>()
  readonly #stops: (() => void)[]
  /** Unicast responses. */
  readonly replies: DnsMessage[] = []
  closed = false
  isJoined = true

  constructor(lans: Readonly<Record<string, Lan>>) {
    this.#lans = new Map(Object.entries(lans))
    this.#stops = [...this.#lans].map(([name, lan]) => lan.listen((bytes) => this.hear(name, bytes)))
  }

  get interfaces(): readonly string[] {
    return [...this.#lans.keys()]
  }

  /** Simulates a message on this interface; `isLegacy`: from a legacy resolver. */
  hear(interfaceName: string, bytes: Buffer, isLegacy = false): void {
    const reply = async (answer: Buffer): Promise<void> => {
      this.replies.push(...[decodeMessage(answer)].filter((message) => message !== undefined))
    }
    this.#received.emit({ bytes, interfaceName, isLegacy, reply })
  }

  async send(interfaceName: string, bytes: Buffer): Promise<void> {
    if (this.closed) throw new Error('the link is closed')
    this.#lans.get(interfaceName)?.send(bytes)
  }

  listen(listener: (datagram: Datagram) => void): () => void {
    return this.#received.add(listener)
  }

  async close(): Promise<void> {
    this.closed = true
    for (const stop of this.#stops) stop()
  }
}
