import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../../tools/tests/generated-cases.mjs'
import { decodeMessage } from './decode.ts'
import { encodeMessage, responsesOf } from './encode.ts'
import { type DnsMessage, query, type ResourceRecord, response } from './resource-record.ts'

const HTTPS = ['_https', '_tcp', 'local']

/** Bytes as RFC 1035 draws them: hexadecimal numbers, and text in quotes. */
function bytes(...parts: readonly string[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) =>
      part
        .split(/ (?=(?:[^']*'[^']*')*[^']*$)/)
        .flatMap((item) => (item.startsWith("'") ? [...Buffer.from(item.slice(1, -1))] : [Number.parseInt(item, 16)])),
    ),
  )
}

const HEADER_OF_ANSWER = '00 00 84 00 00 00 00 01 00 00 00 00'

describe('a message of multicast DNS', () => {
  it('asks who offers a service: RFC 6762 section 5.2', () => {
    const message = query({ questions: [{ name: HTTPS, type: 12, unicast: false }] })
    const expected = bytes('00 00 00 00 00 01 00 00 00 00 00 00', "06 '_https' 04 '_tcp' 05 'local' 00", '00 0c 00 01')
    expect(encodeMessage(message)).toEqual(expected)
    expect(decodeMessage(expected)).toEqual(message)
  })

  it.each<[string, ResourceRecord, Uint8Array]>([
    [
      'an address, this host’s alone for 120 s',
      { name: ['press-4', 'local'], ttl: 120, unique: true, data: { type: 'A', address: '10.0.0.5' } },
      bytes("07 'press-4' 05 'local' 00", '00 01 80 01 00 00 00 78 00 04 0a 00 00 05'),
    ],
    [
      'an IPv6 address',
      { name: ['a', 'local'], ttl: 120, unique: true, data: { type: 'AAAA', address: 'fd77:1::2' } },
      bytes("01 'a' 05 'local' 00", '00 1c 80 01 00 00 00 78 00 10 fd 77 00 01 00 00 00 00 00 00 00 00 00 00 00 02'),
    ],
    [
      'an entry, its name shortened to where the type stands (at 12, RFC 1035 section 4.1.4)',
      { name: HTTPS, ttl: 4500, unique: false, data: { type: 'PTR', target: ['io', ...HTTPS] } },
      bytes("06 '_https' 04 '_tcp' 05 'local' 00", "00 0c 00 01 00 00 11 94 00 05 02 'io' c0 0c"),
    ],
    [
      'port and host of an entry (RFC 2782)',
      { name: ['io', 'local'], ttl: 120, unique: true, data: { type: 'SRV', port: 443, target: ['press-4', 'local'] } },
      bytes("02 'io' 05 'local' 00", "00 21 80 01 00 00 00 78 00 10 00 00 00 00 01 bb 07 'press-4' c0 0f"),
    ],
    [
      'keys of an entry (RFC 6763 section 6)',
      {
        name: ['io', 'local'],
        ttl: 1,
        unique: true,
        data: { type: 'TXT', strings: [Buffer.from('a=b'), Buffer.from('c=')].map((text) => Uint8Array.from(text)) },
      },
      bytes("02 'io' 05 'local' 00", "00 10 80 01 00 00 00 01 00 07 03 'a=b' 02 'c='"),
    ],
    [
      'an entry without keys: one empty string',
      { name: ['io', 'local'], ttl: 1, unique: true, data: { type: 'TXT', strings: [] } },
      bytes("02 'io' 05 'local' 00", '00 10 80 01 00 00 00 01 00 01 00'),
    ],
  ])('tells %s', (_title, record, expected) => {
    const whole = Uint8Array.from([...bytes(HEADER_OF_ANSWER), ...expected])
    expect(encodeMessage(response({ answers: [record] }))).toEqual(whole)
    expect(decodeMessage(whole)).toEqual(response({ answers: [record] }))
  })

  it('tells that a name has an IPv4 address and nothing else: RFC 4034 section 4.1', () => {
    const record: ResourceRecord = { name: ['a', 'local'], ttl: 120, unique: true, data: { type: 'NSEC', present: [1] } }
    const encoded = encodeMessage(response({ answers: [record] }))
    expect(encoded.subarray(12)).toEqual(bytes("01 'a' 05 'local' 00", '00 2f 80 01 00 00 00 78 00 05 c0 0c 00 01 40'))
  })

  it('keeps dots and blanks in a name, and takes no type that it does not know for one that it does', () => {
    const record: ResourceRecord = {
      name: ['io. on press', 'local'],
      ttl: 1,
      unique: false,
      data: { type: 'other', code: 13, bytes: Uint8Array.of(1, 2) },
    }
    expect(decodeMessage(encodeMessage(response({ answers: [record] })))?.answers).toEqual([record])
  })

  it('is split where it would not fit into a frame', () => {
    const records = Array.from({ length: 40 }, (_, index): ResourceRecord => {
      const strings = [new TextEncoder().encode(`key=${'x'.repeat(200)}`)]
      return { name: [`io-${index}`, ...HTTPS], ttl: 1, unique: true, data: { type: 'TXT', strings } }
    })
    const messages = responsesOf(records)
    expect(messages.flatMap(({ answers }) => answers)).toEqual(records)
    for (const message of messages) expect(encodeMessage(message).length).toBeLessThanOrEqual(1400)
  })
})

describe('what comes from the network', () => {
  it.each([
    ['is too short', bytes('00 00 84 00')],
    ['has another operation', bytes('00 00 08 00 00 00 00 00 00 00 00 00')],
    ['has an error', bytes('00 00 84 03 00 00 00 00 00 00 00 00')],
    ['promises more than there is', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 01 80 01 00 00 00 78 00 04 0a")],
    ['names itself', bytes(HEADER_OF_ANSWER, 'c0 0c 00 01 80 01 00 00 00 78 00 04 0a 00 00 05')],
    ['names what is behind it', bytes(HEADER_OF_ANSWER, 'c0 0e c0 0c 00 01 80 01 00 00 00 78 00 04 0a 00 00 05')],
    ['has a reserved kind of label', bytes(HEADER_OF_ANSWER, "41 'a' 00 00 01 80 01 00 00 00 78 00 04 0a 00 00 05")],
    ['has an address that is none', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 01 80 01 00 00 00 78 00 03 0a 00 00")],
    ['has text that leaves its record', bytes(HEADER_OF_ANSWER, "01 'a' 00 00 10 80 01 00 00 00 78 00 02 05 'a'")],
  ])('is ignored when it %s', (_why, message) => {
    expect(decodeMessage(message)).toBeUndefined()
  })

  it('is ignored when it has a name over 255 bytes, put together by pointers', () => {
    const label = `3f '${'x'.repeat(63)}'`
    const name = bytes(`${label} ${label} ${label} ${label} 00`)
    const header = bytes('00 00 00 00 00 01 00 00 00 00 00 00')
    expect(decodeMessage(Uint8Array.from([...header, ...name, ...bytes('00 0c 00 01')]))).toBeUndefined()
  })

  it('never makes the reader fail, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, isResponse) => {
        const message = Uint8Array.from([0, 0, isResponse ? 0x84 : 0, 0, 0, 2, 0, 2, 0, 1, 0, 1, ...noise])
        const decoded: DnsMessage | undefined = decodeMessage(message)
        if (decoded !== undefined) encodeMessage(decoded)
      }),
      { numRuns: cases(500) },
    )
  })

  it('comes out as it went in', () => {
    const label = fc.string({ minLength: 1, maxLength: 15 })
    const name = fc.array(label, { minLength: 1, maxLength: 4 })
    const data = fc.oneof(
      fc.record({ type: fc.constant('A' as const), address: fc.ipV4() }),
      fc.record({ type: fc.constant('PTR' as const), target: name }),
      fc.record({ type: fc.constant('SRV' as const), port: fc.nat(65_535), target: name }),
      fc.record({
        type: fc.constant('TXT' as const),
        strings: fc.array(fc.uint8Array({ minLength: 1, maxLength: 255 }), { maxLength: 3 }),
      }),
    )
    const record = fc.record({ name, ttl: fc.nat(0x7fffffff), unique: fc.boolean(), data })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (answers) => {
        // Names are shortened whatever the case of an earlier one: their letters may come out in its case.
        const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
        const written = encodeMessage(response({ answers }))
        const simplified = (records: readonly ResourceRecord[] | undefined) =>
          JSON.parse(lower(JSON.stringify(records))) as unknown
        expect(simplified(decodeMessage(written)?.answers)).toEqual(simplified(answers))
      }),
    )
  })
})
