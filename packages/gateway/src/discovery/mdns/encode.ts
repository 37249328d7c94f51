import { type DnsName, nameKey } from './dns-name.ts'
import { addressBytes } from './ip-address.ts'
import { type DnsMessage, type Question, type RecordData, type ResourceRecord, response, typeCode } from './resource-record.ts'
import { CLASS_INTERNET, MAX_POINTER, POINTER, RESPONSE_FLAGS, TOP_BIT } from './wire-format.ts'

/** Largest message that goes into one Ethernet frame over IPv6, with room for what is between. */
const MAX_MESSAGE_BYTES = 1400

/** Writes names, shortened by what was written before. */
class Writer {
  readonly bytes: number[] = []
  /** Where a name was written first; undefined: nothing is shortened. */
  readonly #written: Map<string, number> | undefined

  constructor(shortens: boolean) {
    this.#written = shortens ? new Map() : undefined
  }

  uint16(value: number): void {
    this.bytes.push((value >> 8) & 0xff, value & 0xff)
  }

  uint32(value: number): void {
    this.uint16(Math.floor(value / 0x10000))
    this.uint16(value)
  }

  name(name: DnsName): void {
    for (const [index, label] of name.entries()) {
      const rest = nameKey(name.slice(index))
      const earlier = this.#written?.get(rest)
      if (earlier !== undefined) {
        this.uint16(POINTER | earlier)
        return
      }
      if (this.bytes.length <= MAX_POINTER) this.#written?.set(rest, this.bytes.length)
      const text = new TextEncoder().encode(label)
      this.bytes.push(text.length, ...text)
    }
    this.bytes.push(0)
  }

  /** What `write` writes, behind its length. */
  sized(write: () => void): void {
    const at = this.bytes.length
    this.uint16(0)
    write()
    const length = this.bytes.length - at - 2
    this.bytes[at] = length >> 8
    this.bytes[at + 1] = length & 0xff
  }
}

/** The bytes of a message. Labels and TXT strings must be within their bounds. */
export function encodeMessage(message: DnsMessage): Uint8Array {
  const writer = new Writer(true)
  const { questions, answers, authorities, additionals } = message
  writer.uint16(message.id)
  writer.uint16(message.response ? RESPONSE_FLAGS : 0)
  for (const section of [questions, answers, authorities, additionals]) writer.uint16(section.length)
  for (const question of questions) writeQuestion(writer, question)
  for (const record of [...answers, ...authorities, ...additionals]) writeRecord(writer, record)
  return Uint8Array.from(writer.bytes)
}

/** What a record says, unshortened: what two hosts that want the same name compare (RFC 6762 section 8.2). */
export function dataBytes(record: ResourceRecord): Uint8Array {
  const writer = new Writer(false)
  writeData(writer, record.data, record.name)
  return Uint8Array.from(writer.bytes)
}

function writeQuestion(writer: Writer, { name, type, unicast }: Question): void {
  writer.name(name)
  writer.uint16(type)
  writer.uint16(CLASS_INTERNET | (unicast ? TOP_BIT : 0))
}

function writeRecord(writer: Writer, record: ResourceRecord): void {
  writer.name(record.name)
  writer.uint16(typeCode(record.data))
  writer.uint16(CLASS_INTERNET | (record.unique ? TOP_BIT : 0))
  writer.uint32(record.ttl)
  writer.sized(() => writeData(writer, record.data, record.name))
}

function writeData(writer: Writer, data: RecordData, name: DnsName): void {
  switch (data.type) {
    case 'A':
    case 'AAAA':
      writer.bytes.push(...(addressBytes(data.address) ?? []))
      return
    case 'PTR':
      writer.name(data.target)
      return
    case 'SRV':
      // Priority and weight: one server alone.
      writer.uint32(0)
      writer.uint16(data.port)
      writer.name(data.target)
      return
    case 'TXT':
      for (const text of data.strings) writer.bytes.push(text.length, ...text)
      if (data.strings.length === 0) writer.bytes.push(0)
      return
    case 'NSEC':
      writer.name(name)
      writer.bytes.push(...typeBitmap(data.present))
      return
    case 'other':
      writer.bytes.push(...data.bytes)
  }
}

/** Block 0 of an NSEC record's bitmap: one bit for each type, the first is the highest of its byte (RFC 4034 section 4.1.2). */
function typeBitmap(codes: readonly number[]): readonly number[] {
  const bitmap = Array<number>((Math.max(...codes) >> 3) + 1).fill(0)
  for (const code of codes) bitmap[code >> 3] = (bitmap[code >> 3] ?? 0) | (0x80 >> (code & 7))
  return [0, bitmap.length, ...bitmap]
}

/** These records in as few responses as it takes for each to go into one frame, unless a single record does not. */
export function responsesOf(records: readonly ResourceRecord[]): readonly DnsMessage[] {
  const messages: DnsMessage[] = []
  for (const record of records) {
    const larger = response({ answers: [...(messages.at(-1)?.answers ?? []), record] })
    if (messages.length > 0 && fitsOneFrame(larger)) messages.splice(-1, 1, larger)
    else messages.push(response({ answers: [record] }))
  }
  return messages
}

export function fitsOneFrame(message: DnsMessage): boolean {
  return encodeMessage(message).length <= MAX_MESSAGE_BYTES
}
