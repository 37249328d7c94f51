import { isAnswerTo, nameKey, type Question, type ResourceRecord, recordKey, recordsOf } from './dns-message.ts'

/** All that a host says of itself, interface by interface: what is reached through one is not told on the others. */
export class Zone {
  readonly #records: ReadonlyMap<string, readonly ResourceRecord[]>
  readonly #said: ReadonlySet<string>
  readonly #uniqueNames: ReadonlyMap<string, string>

  constructor(records: ReadonlyMap<string, readonly ResourceRecord[]>) {
    const all = [...records.values()].flat()
    this.#records = records
    this.#said = new Set(all.map(recordKey))
    this.#uniqueNames = new Map(all.filter(({ flush }) => flush).map(({ name }) => [nameKey(name), name]))
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
  get uniqueNames(): readonly string[] {
    return [...this.#uniqueNames.values()]
  }

  owns(name: string): boolean {
    return this.#uniqueNames.has(nameKey(name))
  }

  /** Whether a record of another host says something else under a name that is this host's alone. */
  isContradictedBy(record: ResourceRecord): boolean {
    return record.ttl > 0 && record.type !== 'NSEC' && this.owns(record.name) && !this.says(record)
  }

  answersTo(question: Question, interfaceName: string): readonly ResourceRecord[] {
    const named = recordsOf(question.name, this.on(interfaceName))
    const found = named.filter((record) => isAnswerTo(record, question))
    return found.length === 0 && this.owns(question.name) ? denialOf(named) : found
  }

  /** What whoever gets these answers will ask next; RFC 6763 section 12. */
  additionalsTo(given: readonly ResourceRecord[], interfaceName: string): readonly ResourceRecord[] {
    const own = this.on(interfaceName)
    const found = new Set<ResourceRecord>()
    const about = (name: string): void => {
      for (const record of recordsOf(name, own)) {
        if (found.has(record)) continue
        found.add(record)
        if (record.type === 'SRV') about(record.data.target)
      }
    }
    for (const record of given) {
      if (record.type === 'PTR') about(record.data)
      else if (record.type === 'SRV') about(record.data.target)
      // Who asks for one kind of address wants to know of the other, or that there is none (RFC 6762 section 6.2).
      else if (isAddress(record)) about(record.name)
    }
    const hosts = new Set([...found, ...given].filter(isAddress).map(({ name }) => nameKey(name)))
    for (const record of given) found.delete(record)
    return [...found, ...[...hosts].flatMap((name) => denialOf(recordsOf(name, own)))]
  }
}

function isAddress({ type }: ResourceRecord): boolean {
  return type === 'A' || type === 'AAAA'
}

/** Says that there is nothing else under the name of these. */
function denialOf(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  const [first] = records
  if (first === undefined) return []
  const rrtypes = [...new Set(records.map(({ type }) => type))]
  const ttl = Math.min(...records.map((record) => record.ttl))
  return [{ name: first.name, type: 'NSEC', ttl, flush: true, data: { nextDomain: first.name, rrtypes } }]
}
