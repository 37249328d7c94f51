import { type DnsName, MAX_LABEL_BYTES, MAX_NAME_BYTES } from './dns-name.ts'
import { addressText } from './ip-address.ts'
import { type DnsMessage, type Question, RECORD_TYPES, type RecordData, type ResourceRecord } from './resource-record.ts'
import { CLASS_ANY, CLASS_INTERNET, HEADER_BYTES, IGNORED_BITS, POINTER, RESPONSE_BIT, TOP_BIT } from './wire-format.ts'

const IPV4_BYTES = 4
const IPV6_BYTES = 16

/** What bytes from the network turn out not to be. */
class Malformed extends Error {}

/** Reads a message; nothing outside of its bytes, and no name twice. */
class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  uint8(): number {
    return this.take(1)[0] ?? 0
  }

  uint16(): number {
    this.#need(2)
    this.at += 2
    return this.#view.getUint16(this.at - 2)
  }

  uint32(): number {
    this.#need(4)
    this.at += 4
    return this.#view.getUint32(this.at - 4)
  }

  take(length: number): Uint8Array {
    this.#need(length)
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }

  /** A pointer leads to an earlier place, ever earlier: reading ends. */
  name(): DnsName {
    const labels: string[] = []
    let size = 1
    let behind: number | undefined
    let start = this.at
    for (;;) {
      const length = this.uint8()
      if (length === 0) break
      if (length > MAX_LABEL_BYTES) {
        this.at -= 1
        const target = this.uint16() - POINTER
        if (target < 0 || target >= start) throw new Malformed()
        behind ??= this.at
        start = target
        this.at = target
        continue
      }
      size += length + 1
      if (size > MAX_NAME_BYTES) throw new Malformed()
      labels.push(new TextDecoder().decode(this.take(length)))
    }
    this.at = behind ?? this.at
    return labels
  }

  #need(length: number): void {
    if (this.at + length > this.#bytes.length) throw new Malformed()
  }
}

/** The message in these bytes; undefined for what is none, or none that multicast DNS knows. */
export function decodeMessage(bytes: Uint8Array): DnsMessage | undefined {
  if (bytes.length < HEADER_BYTES) return undefined
  const reader = new Reader(bytes)
  try {
    return readMessage(reader)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

function readMessage(reader: Reader): DnsMessage | undefined {
  const id = reader.uint16()
  const flags = reader.uint16()
  if ((flags & IGNORED_BITS) !== 0) return undefined
  const counts = {
    questions: reader.uint16(),
    answers: reader.uint16(),
    authorities: reader.uint16(),
    additionals: reader.uint16(),
  }
  const questions = several(counts.questions, () => readQuestion(reader))
  const records = (count: number): ResourceRecord[] => several(count, () => readRecord(reader))
  return {
    id,
    response: (flags & RESPONSE_BIT) !== 0,
    questions,
    answers: records(counts.answers),
    authorities: records(counts.authorities),
    additionals: records(counts.additionals),
  }
}

/** Those that are of any use. */
function several<Item>(count: number, read: () => Item | undefined): Item[] {
  const items: Item[] = []
  for (let index = 0; index < count; index++) {
    const item = read()
    if (item !== undefined) items.push(item)
  }
  return items
}

function readQuestion(reader: Reader): Question | undefined {
  const name = reader.name()
  const type = reader.uint16()
  const [category, unicast] = readClass(reader)
  return category === CLASS_INTERNET || category === CLASS_ANY ? { name, type, unicast } : undefined
}

function readRecord(reader: Reader): ResourceRecord | undefined {
  const name = reader.name()
  const code = reader.uint16()
  const [category, unique] = readClass(reader)
  const ttl = reader.uint32()
  const length = reader.uint16()
  const end = reader.at + length
  const data = readData(reader, code, length)
  if (reader.at > end) throw new Malformed()
  reader.take(end - reader.at)
  return category === CLASS_INTERNET ? { name, ttl, unique, data } : undefined
}

/** The class, and the bit above it. */
function readClass(reader: Reader): [number, boolean] {
  const value = reader.uint16()
  return [value & ~TOP_BIT, (value & TOP_BIT) !== 0]
}

function readData(reader: Reader, code: number, length: number): RecordData {
  switch (code) {
    case RECORD_TYPES.A:
      return { type: 'A', address: readAddress(reader, length, IPV4_BYTES) }
    case RECORD_TYPES.AAAA:
      return { type: 'AAAA', address: readAddress(reader, length, IPV6_BYTES) }
    case RECORD_TYPES.PTR:
      return { type: 'PTR', target: reader.name() }
    case RECORD_TYPES.SRV:
      // Priority and weight say nothing of a single server.
      reader.uint32()
      return { type: 'SRV', port: reader.uint16(), target: reader.name() }
    case RECORD_TYPES.TXT:
      return { type: 'TXT', strings: readStrings(reader.take(length)) }
    default:
      return { type: 'other', code, bytes: reader.take(length) }
  }
}

function readAddress(reader: Reader, length: number, expected: number): string {
  const address = length === expected ? addressText(reader.take(length)) : undefined
  if (address === undefined) throw new Malformed()
  return address
}

/** Empty ones say nothing (RFC 6763 section 6.1). */
function readStrings(bytes: Uint8Array): Uint8Array[] {
  const strings: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] ?? 0
    if (at + 1 + length > bytes.length) throw new Malformed()
    if (length > 0) strings.push(bytes.slice(at + 1, at + 1 + length))
    at += 1 + length
  }
  return strings
}
