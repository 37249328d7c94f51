import type { Clock, Random } from '@slotwire/core'
import { isLinkLocal } from '../../network-doors.ts'
import { MAX_LABEL_BYTES } from '../announcement-zone.ts'
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
import type { Datagram, MulticastLink } from './open-link.ts'

/** Spreads hosts that start at the same event; RFC 6762 section 5.2. */
const FIRST_QUERY_SPREAD_MS = 120
/** The interval doubles after each query. */
const FIRST_INTERVAL_MS = 1000
/** Interval to ask for missing records, and the number of attempts. */
const COMPLETE_EVERY_MS = 250
const MAX_ASKED = 3
const MAX_QUESTIONS = 16
/** Limits per interface, so that an attacker cannot fill the memory. */
const MAX_NAMES = 4096
const MAX_RECORDS_OF_A_NAME = 1024

const HOST = /^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*$/
const MAX_HOST_LENGTH = 253
/** Replaces bytes that are not valid UTF-8. */
const REPLACEMENT_CHARACTER = '\ufffd'

type TypeName = 'PTR' | 'SRV' | 'TXT' | 'A' | 'AAAA'

/** An announced entry on a network. */
export interface FoundEntry {
  readonly interfaceName: string
  /** `_https._tcp.local` */
  readonly type: string
  /** `press-4.local` */
  readonly host: string
  readonly port: number
  /** Link-local addresses include the interface: `fe80::1%eth0`. */
  readonly addresses: readonly string[]
  readonly txt: readonly Buffer[]
}

export interface BrowseOptions {
  /** In lower case. */
  readonly types: readonly string[]
  readonly durationMs: number
  /** Most entries to return. */
  readonly maxEntries: number
  readonly link: MulticastLink
  readonly clock: Clock
  readonly random: Random
  readonly signal?: AbortSignal | undefined
}

/** Queries services of these types for `durationMs`, and returns the complete entries. */
export async function browse(options: BrowseOptions): Promise<readonly FoundEntry[]> {
  const { link, clock, random, durationMs, types, maxEntries, signal } = options
  const browsers = link.interfaces.map((name) => new InterfaceBrowser(name, options))
  const stop = link.listen((datagram) => browsers.find(({ name }) => name === datagram.interfaceName)?.receive(datagram))
  try {
    const end = clock.now() + durationMs
    await clock.sleep(random() * Math.min(FIRST_QUERY_SPREAD_MS, durationMs / 2), signal)
    let intervalMs = FIRST_INTERVAL_MS
    for (let nextQuery = clock.now(); clock.now() < end; ) {
      if (clock.now() >= nextQuery) {
        for (const browser of browsers) browser.askForEntries()
        nextQuery = clock.now() + intervalMs
        intervalMs *= 2
      }
      await clock.sleep(Math.max(0, Math.min(COMPLETE_EVERY_MS, end - clock.now())), signal)
      for (const browser of browsers) browser.askForMissing()
    }
  } finally {
    stop()
  }
  return browsers.flatMap((browser) => types.flatMap((type) => browser.entries(type))).slice(0, maxEntries)
}

/** Browses one interface. */
class InterfaceBrowser {
  /** Records received, by name and type. */
  readonly #received = new Map<string, Map<string, ResourceRecord>>()
  /** Number of attempts by question. */
  readonly #attempts = new Map<string, number>()

  constructor(
    readonly name: string,
    private readonly options: BrowseOptions,
  ) {}

  receive({ bytes, isLegacy }: Datagram): void {
    const message = isLegacy ? undefined : decodeMessage(bytes)
    if (message?.response !== true) return
    for (const record of [...message.answers, ...message.additionals]) if (this.#isRelevant(record)) this.#store(record)
  }

  /** Includes known answers as far as they fit, so that they are not sent again. */
  askForEntries(): void {
    const questions = this.options.types.map((name): Question => ({ name, type: 'PTR', unicast: false }))
    const known = this.options.types
      .flatMap((type) => this.#records(type, 'PTR'))
      // Omit an instance with a dot, which dns-packet would write as several labels: it is sent again.
      .filter(({ data }) => this.#labelOf(data)?.includes('.') === false)
    const [message = query({ questions })] = inFrames(known, (answers) => query({ questions, answers }))
    void this.options.link.send(this.name, encodeMessage(message))
  }

  askForMissing(): void {
    const timesAsked = (question: Question): number => this.#attempts.get(keyOf(question)) ?? 0
    const questions = this.#missing().filter((question) => timesAsked(question) < MAX_ASKED)
    const now = questions.slice(0, MAX_QUESTIONS)
    if (now.length === 0) return
    for (const question of now) this.#attempts.set(keyOf(question), timesAsked(question) + 1)
    void this.options.link.send(this.name, encodeMessage(query({ questions: now })))
  }

  /** The entries with all required records. */
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
    const instances = this.options.types.flatMap((type) => this.#records(type, 'PTR').map(({ data }) => data))
    return instances.flatMap((name) => {
      const servers = this.#records(name, 'SRV').map(({ data }) => data.target)
      return [
        ...(servers.length === 0 ? [ask(name, 'SRV')] : []),
        ...(this.#records(name, 'TXT').length === 0 ? [ask(name, 'TXT')] : []),
        ...servers.filter((host) => this.#addresses(host).length === 0).flatMap((host) => [ask(host, 'A'), ask(host, 'AAAA')]),
      ]
    })
  }

  /** Accepts only records for browsing: instances that can be queried, their records, and addresses. */
  #isRelevant(record: ResourceRecord): boolean {
    switch (record.type) {
      case 'PTR':
        return this.options.types.some((type) => sameName(type, record.name)) && this.#labelOf(record.data) !== undefined
      case 'SRV':
        return this.#labelOf(record.name) !== undefined && isHost(record.data.target)
      case 'TXT':
        return this.#labelOf(record.name) !== undefined
      default:
        return record.type === 'A' || record.type === 'AAAA'
    }
  }

  /** First label of an instance of the browsed types; undefined if it is another name or cannot be queried. */
  #labelOf(name: string): string | undefined {
    const type = this.options.types.find((one) => nameKey(name).endsWith(`.${one}`))
    if (type === undefined) return undefined
    const label = name.slice(0, -type.length - 1)
    return label !== '' && !label.includes(REPLACEMENT_CHARACTER) && Buffer.byteLength(label) <= MAX_LABEL_BYTES
      ? label
      : undefined
  }

  /** Stores a record, or removes it after a goodbye. */
  #store(record: ResourceRecord): void {
    const records = this.#received.get(keyOf(record)) ?? new Map<string, ResourceRecord>()
    if (record.ttl === 0) records.delete(recordKey(record))
    else if (records.size < MAX_RECORDS_OF_A_NAME) records.set(recordKey(record), record)
    if (this.#received.size < MAX_NAMES) this.#received.set(keyOf(record), records)
  }

  #records<Type extends TypeName>(name: string, type: Type): readonly Extract<ResourceRecord, { readonly type: Type }>[] {
    const records = [...(this.#received.get(keyOf({ name, type }))?.values() ?? [])]
    return records as Extract<ResourceRecord, { readonly type: Type }>[]
  }
}

function keyOf({ name, type }: Pick<Question, 'name' | 'type'>): string {
  return `${type} ${nameKey(name)}`
}

/** Whether a name is a valid host name. */
export function isHost(name: string): boolean {
  return name.length <= MAX_HOST_LENGTH && HOST.test(name)
}
