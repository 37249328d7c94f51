import { isAnswerTo, nameKey, type Question, type ResourceRecord, recordKey, recordsOf } from './dns-message.ts'

/** All records of a host, by interface: records of one interface are not published on another. */
export class Zone {
  readonly #keys: ReadonlySet<string>
  readonly #uniqueNames: ReadonlyMap<string, string>

  constructor(private readonly records: ReadonlyMap<string, readonly ResourceRecord[]>) {
    const all = [...records.values()].flat()
    this.#keys = new Set(all.map(recordKey))
    this.#uniqueNames = new Map(all.filter(({ flush }) => flush).map(({ name }) => [nameKey(name), name]))
  }

  /** A zone without records. */
  static readonly empty = new Zone(new Map())

  on(interfaceName: string): readonly ResourceRecord[] {
    return this.records.get(interfaceName) ?? []
  }

  /** Whether the zone has this record on any interface. */
  has(record: ResourceRecord): boolean {
    return this.#keys.has(recordKey(record))
  }

  /** Names that only this host may use. */
  get uniqueNames(): readonly string[] {
    return [...this.#uniqueNames.values()]
  }

  owns(name: string): boolean {
    return this.#uniqueNames.has(nameKey(name))
  }

  /** Whether a record of another host conflicts with a unique name of this zone. */
  isContradictedBy(record: ResourceRecord): boolean {
    return record.ttl > 0 && record.type !== 'NSEC' && this.owns(record.name) && !this.has(record)
  }

  answersTo(question: Question, interfaceName: string): readonly ResourceRecord[] {
    const named = recordsOf(question.name, this.on(interfaceName))
    const matches = named.filter((record) => isAnswerTo(record, question))
    return matches.length === 0 && this.owns(question.name) ? denialOf(named) : matches
  }

  /** Records that the client will ask for next; RFC 6763 section 12. */
  additionalsTo(answers: readonly ResourceRecord[], interfaceName: string): readonly ResourceRecord[] {
    const own = this.on(interfaceName)
    const additionals = new Set<ResourceRecord>()
    const about = (name: string): void => {
      for (const record of recordsOf(name, own)) {
        if (additionals.has(record)) continue
        additionals.add(record)
        if (record.type === 'SRV') about(record.data.target)
      }
    }
    for (const record of answers) {
      if (record.type === 'PTR') about(record.data)
      else if (record.type === 'SRV') about(record.data.target)
      // With one kind of address, send the other, or deny it (RFC 6762 section 6.2).
      else if (isAddress(record)) about(record.name)
    }
    const hosts = new Set([...additionals, ...answers].filter(isAddress).map(({ name }) => nameKey(name)))
    for (const record of answers) additionals.delete(record)
    return [...additionals, ...[...hosts].flatMap((name) => denialOf(recordsOf(name, own)))]
  }
}

function isAddress({ type }: ResourceRecord): boolean {
  return type === 'A' || type === 'AAAA'
}

/** States that the name of these records has no other types. */
function denialOf(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  const [first] = records
  if (first === undefined) return []
  const rrtypes = [...new Set(records.map(({ type }) => type))]
  const ttl = Math.min(...records.map((record) => record.ttl))
  return [{ name: first.name, type: 'NSEC', ttl, flush: true, data: { nextDomain: first.name, rrtypes } }]
}
