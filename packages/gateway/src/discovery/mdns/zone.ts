import { type DnsName, nameKey } from './dns-name.ts'
import {
  isAnswerTo,
  type Question,
  RECORD_TYPES,
  type ResourceRecord,
  recordKey,
  recordsOf,
  typeCode,
} from './resource-record.ts'

const ADDRESS_TYPES: readonly number[] = [RECORD_TYPES.A, RECORD_TYPES.AAAA]

/** All that a host says of itself, interface by interface: what is reached through one is not told on the others. */
export class Zone {
  readonly #records: ReadonlyMap<string, readonly ResourceRecord[]>
  readonly #said = new Set<string>()
  readonly #uniqueNames = new Map<string, DnsName>()

  constructor(records: ReadonlyMap<string, readonly ResourceRecord[]>) {
    this.#records = records
    for (const record of [...records.values()].flat()) {
      this.#said.add(recordKey(record))
      if (record.unique) this.#uniqueNames.set(nameKey(record.name), record.name)
    }
  }

  /** Nothing at all. */
  static readonly empty = new Zone(new Map())

  on(interfaceName: string): readonly ResourceRecord[] {
    return this.#records.get(interfaceName) ?? []
  }

  /** Whether this is said, on whatever interface. */
  says(record: ResourceRecord): boolean {
    return this.#said.has(recordKey(record))
  }

  /** Names that are to be this host's alone. */
  get uniqueNames(): readonly DnsName[] {
    return [...this.#uniqueNames.values()]
  }

  owns(name: DnsName): boolean {
    return this.#uniqueNames.has(nameKey(name))
  }

  answersTo(question: Question, interfaceName: string): readonly ResourceRecord[] {
    const named = recordsOf(question.name, this.on(interfaceName))
    const found = named.filter((record) => isAnswerTo(record, question))
    return found.length === 0 && this.owns(question.name) ? denialOf(named) : found
  }

  /** What whoever gets these answers will ask next; RFC 6763 section 12. */
  additionalsTo(given: readonly ResourceRecord[], interfaceName: string): readonly ResourceRecord[] {
    const own = this.on(interfaceName)
    const found = new Map<string, ResourceRecord>()
    const about = (name: DnsName): void => {
      for (const record of recordsOf(name, own)) {
        if (found.has(recordKey(record))) continue
        found.set(recordKey(record), record)
        if (record.data.type === 'SRV') about(record.data.target)
      }
    }
    for (const { name, data } of given) {
      if (data.type === 'PTR' || data.type === 'SRV') about(data.target)
      // Who asks for one kind of address wants to know of the other, or that there is none (RFC 6762 section 6.2).
      else if (data.type === 'A' || data.type === 'AAAA') about(name)
    }
    const hosts = [...found.values(), ...given].filter(({ data }) => ADDRESS_TYPES.includes(typeCode(data)))
    const hostNames = new Map(hosts.map(({ name }) => [nameKey(name), name]))
    for (const record of given) found.delete(recordKey(record))
    return [...found.values(), ...[...hostNames.values()].flatMap((name) => denialOf(recordsOf(name, own)))]
  }
}

/** Says that there is nothing else under the name of these. */
function denialOf([first, ...more]: readonly ResourceRecord[]): readonly ResourceRecord[] {
  if (first === undefined) return []
  const all = [first, ...more]
  const present = [...new Set(all.map(({ data }) => typeCode(data)))].sort((a, b) => a - b)
  const ttl = Math.min(...all.map((record) => record.ttl))
  return [{ name: first.name, ttl, unique: true, data: { type: 'NSEC', present } }]
}
