import type { Clock, Random } from '@slotwire/core'
import { isLinkLocal } from '../../network-interfaces.ts'
import { MAX_LABEL_BYTES } from '../host-label.ts'
import {
  decodeMessage,
  encodeMessage,
  inFrames,
  nameKey,
  type Question,
  query,
  type ResourceRecord,
  recordKey,
  sameName,
} from './dns-message.ts'
import type { Datagram, MulticastLink } from './multicast-link.ts'

/** Spreads those who are all started by the same event; RFC 6762 section 5.2. */
const FIRST_QUERY_SPREAD_MS = 120
/** From one query to the next it takes twice as long. */
const FIRST_INTERVAL_MS = 1000
/** How often is looked for what an entry still lacks, and how often that is asked for. */
const COMPLETE_EVERY_MS = 250
const MAX_ASKED = 3
const MAX_QUESTIONS = 16
/** Of one interface: nobody has more neighbours, and whoever pretends to fills no memory. */
const MAX_NAMES = 4096
const MAX_RECORDS_OF_A_NAME = 1024

const HOST = /^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*$/
const MAX_HOST_LENGTH = 253
/** Stands for bytes that are no text. */
const NO_TEXT = '\ufffd'

type TypeName = 'PTR' | 'SRV' | 'TXT' | 'A' | 'AAAA'

/** An entry that somebody announces on a network. */
export interface FoundEntry {
  readonly interfaceName: string
  /** `_https._tcp.local` */
  readonly type: string
  /** `press-4.local` */
  readonly host: string
  readonly port: number
  /** Link-local ones with the interface: `fe80::1%eth0`. */
  readonly addresses: readonly string[]
  readonly txt: readonly Buffer[]
}

export interface BrowseOptions {
  /** Without upper-case letters. */
  readonly types: readonly string[]
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
  /** What neighbours have said, by name and type. */
  readonly #heard = new Map<string, Map<string, ResourceRecord>>()
  /** How often a question was asked. */
  readonly #asked = new Map<string, number>()

  constructor(name: string, options: BrowseOptions) {
    this.name = name
    this.#options = options
  }

  hear({ bytes, simple }: Datagram): void {
    const message = simple ? undefined : decodeMessage(bytes)
    if (message?.response !== true) return
    for (const record of [...message.answers, ...message.additionals]) if (this.#isWanted(record)) this.#remember(record)
  }

  /** With what is known already, as far as there is room for it: that is not answered again. */
  askForEntries(): void {
    const questions = this.#options.types.map((name): Question => ({ name, type: 'PTR', unicast: false }))
    const known = this.#options.types
      .flatMap((type) => this.#records(type, 'PTR'))
      // dns-packet would write other labels for an instance with a dot: it is answered again.
      .filter(({ data }) => this.#labelOf(data)?.includes('.') === false)
    const [message = query({ questions })] = inFrames(known, (answers) => query({ questions, answers }))
    void this.#options.link.send(this.name, encodeMessage(message))
  }

  askForMissing(): void {
    const timesAsked = (question: Question): number => this.#asked.get(keyOf(question)) ?? 0
    const questions = this.#missing().filter((question) => timesAsked(question) < MAX_ASKED)
    const now = questions.slice(0, MAX_QUESTIONS)
    if (now.length === 0) return
    for (const question of now) this.#asked.set(keyOf(question), timesAsked(question) + 1)
    void this.#options.link.send(this.name, encodeMessage(query({ questions: now })))
  }

  /** The entries of which all is known that is needed. */
  entries(type: string): readonly FoundEntry[] {
    return this.#records(type, 'PTR').flatMap(({ data: name }) => {
      const server = this.#records(name, 'SRV').at(-1)?.data
      const txt = this.#records(name, 'TXT').at(-1)?.data
      if (server === undefined || txt === undefined) return []
      const { target: host, port } = server
      return [{ interfaceName: this.name, type, host, port, addresses: this.#addresses(host), txt }]
    })
  }

  #addresses(host: string): readonly string[] {
    const addresses = [...this.#records(host, 'A'), ...this.#records(host, 'AAAA')].map(({ data }) => data)
    return addresses.map((address) => (isLinkLocal(address) ? `${address}%${this.name}` : address))
  }

  #missing(): readonly Question[] {
    const ask = (name: string, type: TypeName): Question => ({ name, type, unicast: false })
    const instances = this.#options.types.flatMap((type) => this.#records(type, 'PTR').map(({ data }) => data))
    return instances.flatMap((name) => {
      const servers = this.#records(name, 'SRV').map(({ data }) => data.target)
      return [
        ...(servers.length === 0 ? [ask(name, 'SRV')] : []),
        ...(this.#records(name, 'TXT').length === 0 ? [ask(name, 'TXT')] : []),
        ...servers.filter((host) => this.#addresses(host).length === 0).flatMap((host) => [ask(host, 'A'), ask(host, 'AAAA')]),
      ]
    })
  }

  /** Takes what browsing needs: entries that can be asked for, what is said of those, and addresses. */
  #isWanted(record: ResourceRecord): boolean {
    switch (record.type) {
      case 'PTR':
        return this.#options.types.some((type) => sameName(type, record.name)) && this.#labelOf(record.data) !== undefined
      case 'SRV':
        return this.#labelOf(record.name) !== undefined && isHost(record.data.target)
      case 'TXT':
        return this.#labelOf(record.name) !== undefined
      default:
        return record.type === 'A' || record.type === 'AAAA'
    }
  }

  /** The first label of an instance of the types that are browsed; undefined: it is none, or cannot be asked for. */
  #labelOf(name: string): string | undefined {
    const type = this.#options.types.find((one) => nameKey(name).endsWith(`.${one}`))
    if (type === undefined) return undefined
    const label = name.slice(0, -type.length - 1)
    return label !== '' && !label.includes(NO_TEXT) && Buffer.byteLength(label) <= MAX_LABEL_BYTES ? label : undefined
  }

  /** Remembers a record, or forgets it: a goodbye. */
  #remember(record: ResourceRecord): void {
    const records = this.#heard.get(keyOf(record)) ?? new Map<string, ResourceRecord>()
    if (record.ttl === 0) records.delete(recordKey(record))
    else if (records.size < MAX_RECORDS_OF_A_NAME) records.set(recordKey(record), record)
    if (this.#heard.size < MAX_NAMES) this.#heard.set(keyOf(record), records)
  }

  #records<Type extends TypeName>(name: string, type: Type): readonly Extract<ResourceRecord, { readonly type: Type }>[] {
    const records = [...(this.#heard.get(keyOf({ name, type }))?.values() ?? [])]
    return records as Extract<ResourceRecord, { readonly type: Type }>[]
  }
}

function keyOf({ name, type }: Pick<Question, 'name' | 'type'>): string {
  return `${type} ${nameKey(name)}`
}

/** Whether a name is one that a host may have. */
export function isHost(name: string): boolean {
  return name.length <= MAX_HOST_LENGTH && HOST.test(name)
}
