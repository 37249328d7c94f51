import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import {
  type DnsMessage,
  decodeMessage,
  encodeMessage,
  inFrames,
  query,
  type ResourceRecord,
  recordKey,
  response,
  typeAndData,
} from './dns-message.ts'

const HTTPS = '_https._tcp.local'

/** Bytes as RFC 1035 draws them: hexadecimal numbers, and text in quotes. */
function bytes(...parts: readonly string[]): Buffer {
  return Buffer.from(
    parts.flatMap((part) =>
      part
        .split(/ (?=(?:[^']*'[^']*')*[^']*$)/)
        .flatMap((item) => (item.startsWith("'") ? [...Buffer.from(item.slice(1, -1))] : [Number.parseInt(item, 16)])),
    ),
  )
}

/** Uses a message in all the ways that the program does. */
function use(message: DnsMessage | undefined): void {
  if (message === undefined) return
  encodeMessage(message)
  for (const record of [...message.answers, ...message.authorities, ...message.additionals]) {
    recordKey(record)
    typeAndData(record)
  }
}

const HEADER_OF_ANSWER = '00 00 84 00 00 00 00 01 00 00 00 00'

describe('encodeMessage and decodeMessage', () => {
  it('handle a query for a service type: RFC 6762 section 5.2', () => {
    const message = query({ questions: [{ name: HTTPS, type: 'PTR', unicast: false }] })
    const expected = bytes('00 00 00 00 00 01 00 00 00 00 00 00', "06 '_https' 04 '_tcp' 05 'local' 00", '00 0c 00 01')
    expect(encodeMessage(message)).toEqual(expected)
    expect(decodeMessage(expected)).toEqual(message)
  })

  it('handle a question for a unicast response: RFC 6762 section 5.4', () => {
    const message = query({ questions: [{ name: 'a.local', type: 'ANY', unicast: true }] })
    const expected = bytes('00 00 00 00 00 01 00 00 00 00 00 00', "01 'a' 05 'local' 00", '00 ff 80 01')
    expect(encodeMessage(message)).toEqual(expected)
    expect(decodeMessage(expected)).toEqual(message)
  })

  it('handle dots, spaces and umlauts in the label of an instance: RFC 6763 section 4.3', () => {
    const names = [`.Werk 2.Hälle..${HTTPS}`, `io.${HTTPS}`]
    const message = query({ questions: names.map((name) => ({ name, type: 'SRV', unicast: false })) })
    const type = "06 '_https' 04 '_tcp' 05 'local' 00 00 21 00 01"
    const expected = bytes('00 00 00 00 00 02 00 00 00 00 00 00', `0f '.Werk 2.Hälle.' ${type} 02 'io' ${type}`)
    expect(encodeMessage(message)).toEqual(expected)
    expect(decodeMessage(expected)).toEqual(message)
  })

  it.each<[string, ResourceRecord, Buffer]>([
    [
      'a unique address with a TTL of 120 s',
      { name: 'press-4.local', ttl: 120, flush: true, type: 'A', data: '10.0.0.5' },
      bytes("07 'press-4' 05 'local' 00", '00 01 80 01 00 00 00 78 00 04 0a 00 00 05'),
    ],
    [
      'an IPv6 address',
      { name: 'a.local', ttl: 120, flush: true, type: 'AAAA', data: 'fd77:1::2' },
      bytes("01 'a' 05 'local' 00", '00 1c 80 01 00 00 00 78 00 10 fd 77 00 01 00 00 00 00 00 00 00 00 00 00 00 02'),
    ],
    [
      'a pointer to an instance',
      { name: HTTPS, ttl: 4500, flush: false, type: 'PTR', data: `io.${HTTPS}` },
      bytes("06 '_https' 04 '_tcp' 05 'local' 00", "00 0c 00 01 00 00 11 94 00 16 02 'io' 06 '_https' 04 '_tcp' 05 'local' 00"),
    ],
    [
      'port and host of an instance (RFC 2782)',
      { name: 'io.local', ttl: 120, flush: true, type: 'SRV', data: { port: 443, target: 'press-4.local' } },
      bytes("02 'io' 05 'local' 00", "00 21 80 01 00 00 00 78 00 15 00 00 00 00 01 bb 07 'press-4' 05 'local' 00"),
    ],
    [
      'keys of an instance (RFC 6763 section 6)',
      { name: 'io.local', ttl: 1, flush: true, type: 'TXT', data: [Buffer.from('a=b'), Buffer.from('c=')] },
      bytes("02 'io' 05 'local' 00", "00 10 80 01 00 00 00 01 00 07 03 'a=b' 02 'c='"),
    ],
    [
      'an instance without keys: one empty string',
      { name: 'io.local', ttl: 1, flush: true, type: 'TXT', data: [Buffer.alloc(0)] },
      bytes("02 'io' 05 'local' 00", '00 10 80 01 00 00 00 01 00 01 00'),
    ],
    [
      'the types of a name: an IPv4 address only (RFC 4034 section 4.1)',
      { name: 'a.local', ttl: 120, flush: true, type: 'NSEC', data: { nextDomain: 'a.local', rrtypes: ['A'] } },
      bytes("01 'a' 05 'local' 00", "00 2f 80 01 00 00 00 78 00 0c 01 'a' 05 'local' 00 00 01 40"),
    ],
  ])('handle %s', (_title, record, expected) => {
    const whole = Buffer.concat([bytes(HEADER_OF_ANSWER), expected])
    expect(encodeMessage(response({ answers: [record] }))).toEqual(whole)
    expect(decodeMessage(whole)).toMatchObject(response({ answers: [record] }))
  })

  it('handle compressed names: RFC 1035 section 4.1.4', () => {
    const shortened = bytes(
      HEADER_OF_ANSWER,
      "06 '_https' 04 '_tcp' 05 'local' 00",
      "00 0c 00 01 00 00 11 94 00 05 02 'io' c0 0c",
    )
    expect(decodeMessage(shortened)?.answers).toMatchObject([{ name: HTTPS, type: 'PTR', data: `io.${HTTPS}` }])
  })

  it('keep dots and spaces in a name, and the data of unknown types', () => {
    const unknown = bytes(HEADER_OF_ANSWER, "0d 'io. on press.' 05 'local' 00", 'ff 01 00 01 00 00 00 01 00 02 01 02')
    const [record] = decodeMessage(unknown)?.answers ?? []
    expect(record).toMatchObject({ name: 'io. on press..local', type: 'UNKNOWN_65281', data: Buffer.of(1, 2) })
  })

  it('split records into messages that each fit into a frame', () => {
    const records = Array.from({ length: 40 }, (_, index): ResourceRecord => {
      return { name: `io-${index}.${HTTPS}`, ttl: 1, flush: true, type: 'TXT', data: [Buffer.from(`key=${'x'.repeat(200)}`)] }
    })
    const messages = inFrames(records, (answers) => response({ answers }))
    expect(messages.flatMap(({ answers }) => answers)).toEqual(records)
    for (const message of messages) expect(encodeMessage(message).length).toBeLessThanOrEqual(1400)
  })
})

describe('decodeMessage of untrusted bytes', () => {
  it.each([
    ['that is too short', bytes('00 00 84 00')],
    ['with another opcode', bytes('00 00 08 00 00 00 00 00 00 00 00 00')],
    ['with an error code', bytes('00 00 84 03 00 00 00 00 00 00 00 00')],
    ['that declares more bytes than it has', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 01 80 01 00 00 00 78 00 04 0a")],
    ['whose name points to itself', bytes(HEADER_OF_ANSWER, 'c0 0c 00 01 80 01 00 00 00 78 00 04 0a 00 00 05')],
    ['whose name points forward', bytes(HEADER_OF_ANSWER, 'c0 0e c0 0c 00 01 80 01 00 00 00 78 00 04 0a 00 00 05')],
    ['with a reserved label type', bytes(HEADER_OF_ANSWER, "41 'a' 00 00 01 80 01 00 00 00 78 00 04 0a 00 00 05")],
    ['with an address that is too short', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 01 80 01 00 00 00 78 00 03 0a 00 00")],
    ['with text beyond its end', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 10 80 01 00 00 00 78 00 09 05 'a'")],
    [
      'that is truncated in a record of an unknown type',
      bytes(HEADER_OF_ANSWER, "01 'a' 00 ff 01 80 01 00 00 00 78 00 09 05 'a'"),
    ],
    ['with text beyond its record', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 10 80 01 00 00 00 78 00 02 05 'a'")],
  ])('ignores a message %s', (_why, message) => expect(decodeMessage(message)).toBeUndefined())

  it('ignores a name over 255 bytes', () => {
    const label = `3f '${'x'.repeat(63)}'`
    const name = bytes(`${label} ${label} ${label} ${label} 00`)
    const header = bytes('00 00 00 00 00 01 00 00 00 00 00 00')
    expect(decodeMessage(Buffer.concat([header, name, bytes('00 0c 00 01')]))).toBeUndefined()
  })

  it('ignores a header that declares more entries than fit, at once', { timeout: 2000 }, () => {
    const promise = bytes('00 00 84 00 ff ff ff ff ff ff ff ff')
    for (let count = 0; count < 10_000; count++) expect(decodeMessage(promise)).toBeUndefined()
  })

  it('ignores a message above the size limit: RFC 6762 section 17', () => {
    const size = (length: number) => {
      const data = Array.from({ length }, () => Buffer.alloc(250))
      return encodeMessage(response({ answers: [{ name: 'a.local', ttl: 1, flush: true, type: 'TXT', data }] }))
    }
    expect([decodeMessage(size(35))?.answers.length, decodeMessage(size(36))]).toEqual([1, undefined])
  })

  it('never throws, for any bytes', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, isResponse) => {
        const message = Buffer.from([0, 0, isResponse ? 0x84 : 0, 0, 0, 2, 0, 2, 0, 1, 0, 1, ...noise])
        use(decodeMessage(message))
      }),
      { numRuns: cases(500) },
    ))

  it('never throws, for any record data', () =>
    fc.assert(
      fc.property(fc.oneof(fc.nat(60), fc.constant(257)), fc.nat(40), fc.uint8Array({ maxLength: 40 }), (type, length, noise) => {
        const head = [0, type >> 8, type & 0xff, 0, 1, 0, 0, 0, 9, 0, length]
        use(decodeMessage(Buffer.concat([bytes(HEADER_OF_ANSWER), Buffer.from(head), noise])))
      }),
      { numRuns: cases(2000) },
    ))

  it('returns the records that encodeMessage wrote', () => {
    const label = fc.string({ minLength: 1, maxLength: 15 }).map((text) => text.replaceAll('.', '-'))
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
    const head = { name, ttl: fc.nat(0x7fffffff), flush: fc.boolean() }
    const strings = fc.array(
      fc.uint8Array({ minLength: 1, maxLength: 255 }).map((text) => Buffer.from(text)),
      { maxLength: 3 },
    )
    const record = fc.oneof(
      fc.record({ ...head, type: fc.constant('A' as const), data: fc.ipV4() }),
      fc.record({ ...head, type: fc.constant('PTR' as const), data: name }),
      fc.record({ ...head, type: fc.constant('SRV' as const), data: fc.record({ port: fc.nat(65_535), target: name }) }),
      fc.record({ ...head, type: fc.constant('TXT' as const), data: strings }),
    )
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (answers) => {
        expect(decodeMessage(encodeMessage(response({ answers })))?.answers).toMatchObject(answers)
      }),
    )
  })
})
