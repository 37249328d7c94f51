import type * as dns from 'dns-packet'
import { AUTHORITATIVE_ANSWER, decode, encode, encodingLength } from 'dns-packet'

const HEADER_BYTES = 12
/** Largest message; RFC 6762 section 17. */
const MAX_MESSAGE_BYTES = 9000
/** Largest message that fits into an Ethernet frame over IPv6, with room for headers. */
const MAX_FRAME_BYTES = 1400
/** The shortest entry of a message: a question about the root. */
const MIN_ENTRY_BYTES = 5
/** Opcode and response code: both are 0 in multicast DNS; other messages are ignored. */
const IGNORED_FLAGS = 0x780f
/** Unicast-response bit in the first byte of a question's class. */
const UNICAST_BIT = 0x80
/** Classes of questions as dns-packet names them: without that bit, and with it. */
const MULTICAST_CLASSES: readonly string[] = ['IN', 'ANY']
const UNICAST_CLASSES: readonly string[] = ['UNKNOWN_32769', 'UNKNOWN_33023']
/** An instance of a service and its type: only the instance label may contain dots (RFC 6763 section 4.3). */
const INSTANCE = /^(.+)(\._[^.]+\._(?:tcp|udp)\.local)$/is

/**
 * A resource record. `ttl` is in seconds; 0 withdraws the record (goodbye). `flush`: only this host uses the name, and the record replaces
 * cached ones (cache-flush bit, RFC 6762 section 10.2).
 */
export type ResourceRecord = { readonly ttl: number; readonly flush: boolean } & (
  | Exclude<dns.Answer, dns.OptAnswer | dns.StringAnswer | dns.TxtAnswer>
  | { [Type in dns.StringRecordType]: dns.BaseAnswer<Type, string> }[dns.StringRecordType]
  | dns.BaseAnswer<'TXT', Buffer[]>
)

/** A question; `unicast`: the response may go to the sender only (RFC 6762 section 5.4). */
export interface Question {
  readonly name: string
  readonly type: dns.RecordType | 'ANY'
  readonly unicast: boolean
}

/** A message of multicast DNS; RFC 6762 section 18. */
export interface DnsMessage {
  /** 0, except for queries of legacy resolvers: the response repeats their id. */
  readonly id: number
  readonly response: boolean
  readonly questions: readonly Question[]
  readonly answers: readonly ResourceRecord[]
  /** Records that a probing host is going to publish under the name. */
  readonly authorities: readonly ResourceRecord[]
  readonly additionals: readonly ResourceRecord[]
}

const NOTHING: DnsMessage = { id: 0, response: false, questions: [], answers: [], authorities: [], additionals: [] }

/** Creates a query. */
export function query(content: Partial<Pick<DnsMessage, 'questions' | 'answers' | 'authorities'>>): DnsMessage {
  return { ...NOTHING, ...content }
}

/** Creates a response or an unsolicited announcement. */
export function response(content: Partial<Omit<DnsMessage, 'response'>>): DnsMessage {
  return { ...NOTHING, ...content, response: true }
}

/** Encodes a message. Labels and TXT strings must be within their limits. */
export function encodeMessage(message: DnsMessage): Buffer {
  const { id, questions, answers, authorities, additionals } = message
  const packets = questions.map(({ name, type }): dns.Question => ({ name: placeholderFor(name), type: type as dns.RecordType }))
  const bytes = encode({
    id,
    type: message.response ? 'response' : 'query',
    flags: message.response ? AUTHORITATIVE_ANSWER : 0,
    questions: packets,
    answers: [...answers],
    authorities: [...authorities],
    additionals: [...additionals],
  })
  let at = HEADER_BYTES
  for (const [index, { name, unicast }] of questions.entries()) {
    bytes.write(INSTANCE.exec(name)?.[1] ?? '', at + 1)
    at += encodingLength({ questions: packets.slice(index, index + 1) }) - HEADER_BYTES
    if (unicast) bytes.writeUInt8(bytes.readUInt8(at - 2) | UNICAST_BIT, at - 2)
  }
  return bytes
}

/** A placeholder of the same length for an instance, because dns-packet splits a label at every dot. `encodeMessage` overwrites it. */
function placeholderFor(name: string): string {
  return name.replace(INSTANCE, (_, instance: string, type: string) => 'x'.repeat(Buffer.byteLength(instance)) + type)
}

/** Decodes a message; undefined if the bytes are invalid or not multicast DNS. */
export function decodeMessage(bytes: Buffer): DnsMessage | undefined {
  if (bytes.length > MAX_MESSAGE_BYTES || bytes.length < HEADER_BYTES) return undefined
  const declared = [4, 6, 8, 10].reduce((sum, at) => sum + bytes.readUInt16BE(at), 0)
  // dns-packet allocates as many entries as the header declares, before it checks whether they exist.
  if (declared * MIN_ENTRY_BYTES > bytes.length) return undefined
  try {
    const { id = 0, type, flags = 0, questions = [], answers, authorities, additionals } = decode(bytes)
    // dns-packet reads past the end of some records.
    if (!(decode.bytes <= bytes.length) || (flags & IGNORED_FLAGS) !== 0) return undefined
    return {
      id,
      response: type === 'response',
      questions: questions.flatMap(questionsOf),
      answers: recordsIn(answers),
      authorities: recordsIn(authorities),
      additionals: recordsIn(additionals),
    }
  } catch {
    return undefined
  }
}

function questionsOf({ name, type, class: category = 'IN' }: dns.Question): readonly Question[] {
  const unicast = UNICAST_CLASSES.includes(category)
  return unicast || MULTICAST_CLASSES.includes(category) ? [{ name, type, unicast }] : []
}

function recordsIn(answers: readonly dns.Answer[] = []): readonly ResourceRecord[] {
  return answers.filter((answer): answer is ResourceRecord => answer.type !== 'OPT' && answer.class === 'IN')
}

/** As few messages as possible that each fit into a frame, unless a single item is too long. */
export function inFrames<Item>(items: readonly Item[], messageOf: (items: readonly Item[]) => DnsMessage): readonly DnsMessage[] {
  const frames: Item[][] = []
  for (const item of items) {
    const last = frames.at(-1)
    if (last !== undefined && fitsOneFrame(messageOf([...last, item]))) last.push(item)
    else frames.push([item])
  }
  return frames.map(messageOf)
}

export function fitsOneFrame(message: DnsMessage): boolean {
  return encodeMessage(message).length <= MAX_FRAME_BYTES
}

/** Comparison key of a name: ASCII letters are case-insensitive (RFC 6762 section 16). */
export function nameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

export function sameName(a: string, b: string): boolean {
  return nameKey(a) === nameKey(b)
}

/** Whether a record answers a question. */
export function isAnswerTo(record: ResourceRecord, { name, type }: Pick<Question, 'name' | 'type'>): boolean {
  return (type === 'ANY' || type === record.type) && sameName(record.name, name)
}

/** The records of a name. */
export function recordsOf(name: string, records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  return records.filter((record) => sameName(record.name, name))
}

/** Comparison key of a record: name, type and data; the TTL does not matter. */
export function recordKey(record: ResourceRecord): string {
  return `${nameKey(record.name)} ${record.type} ${dataKey(record)}`
}

function dataKey(record: ResourceRecord): string {
  switch (record.type) {
    case 'PTR':
      return nameKey(record.data)
    case 'SRV':
      return `${record.data.port} ${nameKey(record.data.target)}`
    default:
      return typeAndData(record).toString('hex')
  }
}

/** Type and data of a record: bytes that sort as RFC 6762 section 8.2 requires. */
export function typeAndData(record: ResourceRecord): Buffer {
  const bytes = encode({ answers: [{ ...record, name: '.' }] })
  // After header and root follow type, class, TTL and length.
  const at = HEADER_BYTES + 1
  return Buffer.concat([bytes.subarray(at, at + 2), bytes.subarray(at + 10)])
}
