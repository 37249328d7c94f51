import { type DnsName, nameKey } from './dns-name.ts'

/** Codes of the record types that discovery needs; RFC 1035, 2782, 3596, 4034. */
export const RECORD_TYPES = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, NSEC: 47, ANY: 255 } as const

/** What a record says of its name. */
export type RecordData =
  | { readonly type: 'A'; readonly address: string }
  | { readonly type: 'AAAA'; readonly address: string }
  | { readonly type: 'PTR'; readonly target: DnsName }
  | { readonly type: 'SRV'; readonly port: number; readonly target: DnsName }
  /** One string for each key, at most 255 bytes each. */
  | { readonly type: 'TXT'; readonly strings: readonly Uint8Array[] }
  /** These types (codes below 256) and no others are there; RFC 6762 section 6.1. */
  | { readonly type: 'NSEC'; readonly present: readonly number[] }
  /** Of a type that discovery does not need. */
  | { readonly type: 'other'; readonly code: number; readonly bytes: Uint8Array }

export interface ResourceRecord {
  readonly name: DnsName
  /** In seconds; 0 takes it back (goodbye). */
  readonly ttl: number
  /** The name is this host's alone: replaces what others know of it (the cache-flush bit, RFC 6762 section 10.2). */
  readonly unique: boolean
  readonly data: RecordData
}

/** A question, with a type's code. */
export interface Question {
  readonly name: DnsName
  readonly type: number
  /** An answer to the asker alone will do (RFC 6762 section 5.4). */
  readonly unicast: boolean
}

/** A message of multicast DNS; RFC 6762 section 18. */
export interface DnsMessage {
  /** 0, but for questions of simple resolvers, who want it back. */
  readonly id: number
  readonly response: boolean
  readonly questions: readonly Question[]
  readonly answers: readonly ResourceRecord[]
  /** What somebody who asks whether a name is free is going to say of it. */
  readonly authorities: readonly ResourceRecord[]
  readonly additionals: readonly ResourceRecord[]
}

const NOTHING: DnsMessage = { id: 0, response: false, questions: [], answers: [], authorities: [], additionals: [] }

/** A question of ours. */
export function query(content: Partial<Pick<DnsMessage, 'questions' | 'answers' | 'authorities'>>): DnsMessage {
  return { ...NOTHING, ...content }
}

/** An answer, or something told without being asked. */
export function response(content: Partial<Omit<DnsMessage, 'response'>>): DnsMessage {
  return { ...NOTHING, ...content, response: true }
}

/** The code of a record's type. */
export function typeCode(data: RecordData): number {
  return data.type === 'other' ? data.code : RECORD_TYPES[data.type]
}

/** Whether a record answers a question. */
export function isAnswerTo(record: ResourceRecord, { name, type }: Pick<Question, 'name' | 'type'>): boolean {
  return (type === RECORD_TYPES.ANY || type === typeCode(record.data)) && nameKey(record.name) === nameKey(name)
}

/** Those of a name. */
export function recordsOf(name: DnsName, records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  return records.filter((record) => nameKey(record.name) === nameKey(name))
}

/** The same for records that say the same of the same name, however long they are to be remembered. */
export function recordKey(record: ResourceRecord): string {
  return `${nameKey(record.name)} ${typeCode(record.data)} ${dataKey(record.data)}`
}

function dataKey(data: RecordData): string {
  switch (data.type) {
    case 'A':
    case 'AAAA':
      return data.address
    case 'PTR':
      return nameKey(data.target)
    case 'SRV':
      return `${data.port} ${nameKey(data.target)}`
    case 'TXT':
      return data.strings.map((text) => Buffer.from(text).toString('hex')).join(' ')
    case 'NSEC':
      return data.present.join(' ')
    case 'other':
      return Buffer.from(data.bytes).toString('hex')
  }
}
