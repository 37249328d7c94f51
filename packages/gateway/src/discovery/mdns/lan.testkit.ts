import { Listeners } from '@slotwire/core'
import { type DnsMessage, decodeMessage, encodeMessage } from './dns-message.ts'
import type { Datagram, MulticastLink } from './multicast-link.ts'

/** A network in memory: everybody on it hears everything at once, what he says himself included. */
export class Lan {
  readonly #heard = new Listeners<Buffer>()
  /** All that was said to everybody. */
  readonly messages: DnsMessage[] = []

  /** Takes what was said since the last time. */
  take(): readonly DnsMessage[] {
    return this.messages.splice(0)
  }

  get responses(): readonly DnsMessage[] {
    return this.messages.filter((message) => message.response)
  }

  /** A host that says something to everybody. */
  say(message: DnsMessage): void {
    this.#tell(encodeMessage(message))
  }

  send(bytes: Buffer): void {
    const message = decodeMessage(bytes)
    if (message === undefined) throw new Error('nobody understands this')
    this.messages.push(message)
    this.#tell(bytes)
  }

  listen(listener: (bytes: Buffer) => void): () => void {
    return this.#heard.add(listener)
  }

  #tell(bytes: Buffer): void {
    // Not before whoever speaks has finished.
    queueMicrotask(() => this.#heard.emit(bytes))
  }
}

/** A host's interfaces, each in a network. */
export class LanLink implements MulticastLink {
  readonly #lans: ReadonlyMap<string, Lan>
  readonly #heard = new Listeners<Datagram>()
  readonly #stops: (() => void)[]
  /** What was answered to one asker alone. */
  readonly replies: DnsMessage[] = []
  closed = false

  constructor(lans: Readonly<Record<string, Lan>>) {
    this.#lans = new Map(Object.entries(lans))
    this.#stops = [...this.#lans].map(([name, lan]) => lan.listen((bytes) => this.hear(name, bytes)))
  }

  get interfaces(): readonly string[] {
    return [...this.#lans.keys()]
  }

  /** As if it came from this interface; `simple`: from a resolver that knows nothing of multicast. */
  hear(interfaceName: string, bytes: Buffer, simple = false): void {
    const reply = async (answer: Buffer): Promise<void> => {
      this.replies.push(...[decodeMessage(answer)].filter((message) => message !== undefined))
    }
    this.#heard.emit({ bytes, interfaceName, simple, reply })
  }

  async send(interfaceName: string, bytes: Buffer): Promise<void> {
    if (this.closed) throw new Error('the link is closed')
    this.#lans.get(interfaceName)?.send(bytes)
  }

  listen(listener: (datagram: Datagram) => void): () => void {
    return this.#heard.add(listener)
  }

  async close(): Promise<void> {
    this.closed = true
    for (const stop of this.#stops) stop()
  }
}
