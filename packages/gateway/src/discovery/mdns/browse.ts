import type { Clock, Random } from '@slotwire/core'
import { decodeMessage } from './decode.ts'
import { type DnsName, dottedName } from './dns-name.ts'
import { encodeMessage, fitsOneFrame } from './encode.ts'
import { isLinkLocal } from './ip-address.ts'
import type { Datagram, MulticastLink } from './multicast-link.ts'
import { browsing, RecordCache } from './record-cache.ts'
import { type Question, query, RECORD_TYPES } from './resource-record.ts'

/** Spreads those who are all started by the same event; RFC 6762 section 5.2. */
const FIRST_QUERY_SPREAD_MS = 120
/** From one query to the next it takes twice as long. */
const FIRST_INTERVAL_MS = 1000
/** How often is looked for what an entry still lacks, and how often that is asked for. */
const COMPLETE_EVERY_MS = 250
const MAX_ASKED = 3
/** Of one message; RFC 6762 section 17 allows no larger ones. */
const MAX_MESSAGE_BYTES = 9000
const MAX_QUESTIONS = 16

/** An entry that somebody announces on a network. */
export interface FoundEntry {
  readonly interfaceName: string
  readonly type: DnsName
  /** `io-module on press-4` */
  readonly instance: string
  /** `press-4.local` */
  readonly host: string
  readonly port: number
  /** Link-local ones with the interface: `fe80::1%eth0`. */
  readonly addresses: readonly string[]
  readonly txt: readonly Uint8Array[]
}

export interface BrowseOptions {
  readonly types: readonly DnsName[]
  readonly durationMs: number
  /** No more entries than this are given. */
  readonly maxEntries: number
  readonly link: MulticastLink
  readonly clock: Clock
  readonly random: Random
}

/** Asks for so long who offers services of these types, and gives the entries that are complete. */
export async function browse(options: BrowseOptions): Promise<readonly FoundEntry[]> {
  const { link, clock, random, durationMs, types, maxEntries } = options
  const sides = link.interfaces.map((name) => new Side(name, options))
  const stop = link.listen((datagram) => sides.find(({ name }) => name === datagram.interfaceName)?.hear(datagram))
  try {
    const end = clock.now() + durationMs
    await clock.sleep(random() * Math.min(FIRST_QUERY_SPREAD_MS, durationMs / 2))
    let intervalMs = FIRST_INTERVAL_MS
    for (let nextQuery = clock.now(); clock.now() < end; ) {
      if (clock.now() >= nextQuery) {
        for (const side of sides) side.askForEntries()
        nextQuery = clock.now() + intervalMs
        intervalMs *= 2
      }
      await clock.sleep(Math.max(0, Math.min(COMPLETE_EVERY_MS, end - clock.now())))
      for (const side of sides) side.askForMissing()
    }
  } finally {
    stop()
  }
  return sides.flatMap((side) => types.flatMap((type) => side.entries(type))).slice(0, maxEntries)
}

/** One interface while it is browsed. */
class Side {
  readonly name: string
  readonly #options: BrowseOptions
  readonly #cache: RecordCache
  /** How often a question was asked. */
  readonly #asked = new Map<string, number>()

  constructor(name: string, options: BrowseOptions) {
    this.name = name
    this.#options = options
    this.#cache = new RecordCache(browsing(options.types))
  }

  hear({ bytes, simple }: Datagram): void {
    if (simple || bytes.length > MAX_MESSAGE_BYTES) return
    const message = decodeMessage(bytes)
    if (message?.response !== true) return
    for (const record of [...message.answers, ...message.additionals]) this.#cache.hear(record)
  }

  /** With what is known already, as far as there is room for it: that is not answered again. */
  askForEntries(): void {
    const questions = this.#options.types.map((name) => ({ name, type: RECORD_TYPES.PTR, unicast: false }))
    let message = query({ questions })
    for (const record of this.#options.types.flatMap((type) => this.#cache.records(type, 'PTR'))) {
      const larger = { ...message, answers: [...message.answers, record] }
      if (!fitsOneFrame(larger)) break
      message = larger
    }
    void this.#options.link.send(this.name, encodeMessage(message))
  }

  askForMissing(): void {
    const questions = this.#missing()
      .filter((question) => this.#mayAsk(question))
      .slice(0, MAX_QUESTIONS)
    if (questions.length === 0) return
    for (const question of questions) this.#asked.set(keyOf(question), (this.#asked.get(keyOf(question)) ?? 0) + 1)
    void this.#options.link.send(this.name, encodeMessage(query({ questions })))
  }

  /** The entries of which all is known that is needed. */
  entries(type: DnsName): readonly FoundEntry[] {
    return this.#instances(type).flatMap((name) => {
      const server = this.#cache.get(name, 'SRV').at(-1)
      const text = this.#cache.get(name, 'TXT').at(-1)
      if (server === undefined || text === undefined) return []
      const found = {
        interfaceName: this.name,
        type,
        instance: name[0] ?? '',
        host: dottedName(server.target),
        port: server.port,
      }
      return [{ ...found, addresses: this.#addresses(server.target), txt: text.strings }]
    })
  }

  #instances(type: DnsName): readonly DnsName[] {
    return this.#cache.get(type, 'PTR').map(({ target }) => target)
  }

  #addresses(host: DnsName): readonly string[] {
    const addresses = [...this.#cache.get(host, 'A'), ...this.#cache.get(host, 'AAAA')].map(({ address }) => address)
    return addresses.map((address) => (isLinkLocal(address) ? `${address}%${this.name}` : address))
  }

  #missing(): readonly Question[] {
    const ask = (name: DnsName, type: 'SRV' | 'TXT' | 'A' | 'AAAA'): Question => ({
      name,
      type: RECORD_TYPES[type],
      unicast: false,
    })
    return this.#options.types
      .flatMap((type) => this.#instances(type))
      .flatMap((name) => {
        const servers = this.#cache.get(name, 'SRV')
        const unknown = servers.filter(({ target }) => this.#addresses(target).length === 0)
        return [
          ...(servers.length === 0 ? [ask(name, 'SRV')] : []),
          ...(this.#cache.get(name, 'TXT').length === 0 ? [ask(name, 'TXT')] : []),
          ...unknown.flatMap(({ target }) => [ask(target, 'A'), ask(target, 'AAAA')]),
        ]
      })
  }

  #mayAsk(question: Question): boolean {
    return (this.#asked.get(keyOf(question)) ?? 0) < MAX_ASKED
  }
}

function keyOf({ name, type }: Question): string {
  return `${type} ${dottedName(name)}`
}
