import { type DnsName, nameKey, sameName } from './dns-name.ts'
import { RECORD_TYPES, type RecordData, type ResourceRecord, recordKey, typeCode } from './resource-record.ts'

/** Nobody has more neighbours; whoever pretends to fills no memory. */
const MAX_NAMES = 4096
const MAX_RECORDS_OF_A_NAME = 1024

type TypeName = Exclude<RecordData['type'], 'other'>

/** What neighbours have said on one interface. */
export class RecordCache {
  readonly #wanted: (record: ResourceRecord) => boolean
  readonly #records = new Map<string, Map<string, ResourceRecord>>()

  /** Keeps what is `wanted` and nothing else. */
  constructor(wanted: (record: ResourceRecord) => boolean) {
    this.#wanted = wanted
  }

  /** Remembers a record, or forgets it: a goodbye. */
  hear(record: ResourceRecord): void {
    if (!this.#wanted(record)) return
    const key = keyOf(record.name, typeCode(record.data))
    const known = this.#records.get(key)
    if (record.ttl === 0) {
      known?.delete(recordKey(record))
      return
    }
    if (known === undefined) {
      if (this.#records.size < MAX_NAMES) this.#records.set(key, new Map([[recordKey(record), record]]))
    } else if (known.size < MAX_RECORDS_OF_A_NAME) known.set(recordKey(record), record)
  }

  get<Type extends TypeName>(name: DnsName, type: Type): readonly Extract<RecordData, { readonly type: Type }>[] {
    return this.records(name, type).map(({ data }) => data as Extract<RecordData, { readonly type: Type }>)
  }

  records(name: DnsName, type: TypeName): readonly ResourceRecord[] {
    return [...(this.#records.get(keyOf(name, RECORD_TYPES[type]))?.values() ?? [])]
  }
}

function keyOf(name: DnsName, code: number): string {
  return `${code} ${nameKey(name)}`
}

/** Takes what browsing for these service types needs: their entries, what is said of those, and addresses. */
export function browsing(types: readonly DnsName[]): (record: ResourceRecord) => boolean {
  const isOfType = (name: DnsName): boolean => types.some((type) => sameName(type, name.slice(1)))
  return ({ name, data }) => {
    switch (data.type) {
      case 'PTR':
        return types.some((type) => sameName(type, name)) && isOfType(data.target)
      case 'SRV':
      case 'TXT':
        return isOfType(name)
      case 'A':
      case 'AAAA':
        return true
      default:
        return false
    }
  }
}
