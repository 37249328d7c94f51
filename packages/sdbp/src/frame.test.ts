import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc16, decodeFrame, encodeFrame, type Frame, MessageType, maxPayloadSize } from './frame.ts'
import { faultOf, fromHex, toHex } from './hex.testkit.ts'

/** Written by hand from wire-protocol.md section 1; the CRCs were not computed with this code. */
function golden(head: string, fillers: number, crc: string): string {
  return [head, ...Array<string>(fillers).fill('7F'), crc].join(' ')
}

const frames: { shows: string; frame: Frame; size: number; hex: string }[] = [
  {
    shows: 'the dummy frame that fetches a response: type 4, length 7',
    frame: { type: MessageType.acknowledgement, notificationPending: false, payload: fromHex('01 04 01') },
    size: 64,
    hex: golden('04 00 07 00 01 04 01', 55, '13 31'),
  },
  {
    shows: 'the same in a frame of 128 bytes: more filler, another CRC',
    frame: { type: MessageType.acknowledgement, notificationPending: false, payload: fromHex('01 04 01') },
    size: 128,
    hex: golden('04 00 07 00 01 04 01', 119, '7F E6'),
  },
  {
    shows: 'an operation: SET_OUTPUT pwm, 3 + 12 bytes of payload, length 19',
    frame: {
      type: MessageType.operation,
      notificationPending: false,
      payload: fromHex('03 02 02 03 02 00 2F 00 00 00 32 00 00 00 63'),
    },
    size: 64,
    hex: golden('01 00 13 00 03 02 02 03 02 00 2F 00 00 00 32 00 00 00 63', 43, '1B 11'),
  },
  {
    shows: 'a response with a notification pending: option 1',
    frame: { type: MessageType.response, notificationPending: true, payload: fromHex('01 03 03 00') },
    size: 64,
    hex: golden('02 00 08 01 01 03 03 00', 54, 'C3 DE'),
  },
  {
    shows: 'no payload: length 4, the header alone',
    frame: { type: MessageType.operation, notificationPending: false, payload: new Uint8Array(0) },
    size: 64,
    hex: golden('01 00 04 00', 58, '41 9A'),
  },
  {
    shows: 'the largest payload: 58 bytes of 64, length 62, no filler',
    frame: { type: MessageType.response, notificationPending: false, payload: new Uint8Array(58).fill(0xab) },
    size: 64,
    hex: golden(`02 00 3E 00 ${'AB '.repeat(58).trim()}`, 0, 'A2 01'),
  },
  {
    shows: 'a notification: type 3',
    frame: { type: MessageType.notification, notificationPending: false, payload: new Uint8Array(0) },
    size: 64,
    hex: golden('03 00 04 00', 58, 'B6 22'),
  },
]

/** A transfer with a correct CRC, whatever its content. */
function sealed(bytes: Uint8Array): Uint8Array {
  const crc = crc16(bytes, bytes.length - 2)
  bytes.set([crc >>> 8, crc & 0xff], bytes.length - 2)
  return bytes
}

function changed(change: (bytes: Uint8Array) => void): Uint8Array {
  const bytes = fromHex(frames[0]?.hex ?? '')
  change(bytes)
  return sealed(bytes)
}

it.each(frames)('frames, golden bytes encode and decode $shows', ({ frame, size, hex }) => {
  expect(fromHex(hex)).toHaveLength(size)
  expect(toHex(encodeFrame(frame, size))).toBe(hex)
  expect(decodeFrame(fromHex(hex))).toEqual(frame)
})

describe('encodeFrame', () => {
  const payload = new Uint8Array(0)

  it('accepts frame size - 6 bytes of payload, and not one more', () => {
    expect(maxPayloadSize(64)).toBe(58)
    expect(maxPayloadSize(4096)).toBe(4090)
    const frame = (size: number): Frame => ({ type: 1, notificationPending: false, payload: new Uint8Array(size) })
    expect(encodeFrame(frame(4090), 4096)).toHaveLength(4096)
    expect(faultOf(() => encodeFrame(frame(59), 64))).toBe('length')
    expect(faultOf(() => encodeFrame(frame(4091), 4096))).toBe('length')
  })

  it.each([0, 63, 4097, 64.5, -64, Number.NaN, Number.POSITIVE_INFINITY])('refuses a frame of %d bytes: 64…4096', (size) =>
    expect(faultOf(() => encodeFrame({ type: 1, notificationPending: false, payload }, size))).toBe('length'),
  )

  it.each([0, 5, 1.5, Number.NaN])('refuses message type %d: 1…4', (type) =>
    expect(faultOf(() => encodeFrame({ type: type as MessageType, notificationPending: false, payload }, 64))).toBe('type'),
  )

  it('sets the option byte in responses alone', () => {
    for (const type of [MessageType.operation, MessageType.notification, MessageType.acknowledgement]) {
      expect(encodeFrame({ type, notificationPending: true, payload }, 64)[3]).toBe(0)
    }
  })
})

describe('decodeFrame', () => {
  it.each([0, 1, 63, 4097])('refuses a transfer of %d bytes: length', (size) =>
    expect(faultOf(() => decodeFrame(new Uint8Array(size)))).toBe('length'),
  )

  it('refuses a wrong CRC before any other check: crc', () => {
    const bytes = fromHex(frames[0]?.hex ?? '')
    bytes[0] = 9
    expect(faultOf(() => decodeFrame(bytes))).toBe('crc')
  })

  it.each([0, 5, 0x7f, 255])('refuses message type %d: type', (type) =>
    expect(faultOf(() => decodeFrame(changed((bytes) => (bytes[0] = type))))).toBe('type'),
  )

  it('refuses a line that stays low (all zeros carry a correct CRC): type', () =>
    expect(faultOf(() => decodeFrame(new Uint8Array(64)))).toBe('type'))

  it('refuses a line that stays high: crc', () => expect(faultOf(() => decodeFrame(new Uint8Array(64).fill(0xff)))).toBe('crc'))

  it.each([0, 3, 63, 0xffff])('refuses length field %d of a 64-byte frame: 4…62', (length) =>
    expect(faultOf(() => decodeFrame(changed((bytes) => bytes.set([length >>> 8, length & 0xff], 1))))).toBe('length'),
  )

  it('accepts the longest length field, 62', () =>
    expect(decodeFrame(changed((bytes) => (bytes[2] = 62))).payload).toHaveLength(58))

  it('reports a notification only for 1 in the option byte of a response', () => {
    const pending = (type: number, option: number): boolean =>
      decodeFrame(
        changed((bytes) => {
          bytes[0] = type
          bytes[3] = option
        }),
      ).notificationPending
    expect(pending(MessageType.response, 1)).toBe(true)
    expect(pending(MessageType.response, 0)).toBe(false)
    expect(pending(MessageType.response, 2)).toBe(false)
    expect(pending(MessageType.acknowledgement, 1)).toBe(false)
  })

  it('ignores the filler', () =>
    expect(decodeFrame(changed((bytes) => bytes.fill(0, 7, 62))).payload).toEqual(fromHex('01 04 01')))

  it('copies the payload: the transfer may be reused', () => {
    const bytes = fromHex(frames[0]?.hex ?? '')
    const { payload } = decodeFrame(bytes)
    bytes.fill(0)
    expect(payload).toEqual(fromHex('01 04 01'))
  })

  it('reads a view into a larger buffer', () => {
    const buffer = new Uint8Array(200)
    buffer.set(fromHex(frames[0]?.hex ?? ''), 100)
    expect(decodeFrame(buffer.subarray(100, 164)).payload).toEqual(fromHex('01 04 01'))
  })
})

/** The polynomial division bit by bit, as in wire-protocol.md section 1. */
function bitByBit(data: Uint8Array): number {
  let remainder = 0
  for (const byte of data) {
    for (let bit = 7; bit >= 0; bit--) {
      const carry = (remainder >>> 15) ^ ((byte >>> bit) & 1)
      remainder = ((remainder << 1) & 0xffff) ^ (carry === 1 ? 0x1021 : 0)
    }
  }
  return remainder
}

describe('crc16', () => {
  it('is 0x31C3 for "123456789" (CRC-16/XMODEM)', () => expect(crc16(new TextEncoder().encode('123456789'))).toBe(0x31c3))

  it('starts at 0 and is not inverted: no bytes and zeros give 0', () => {
    expect(crc16(new Uint8Array(0))).toBe(0)
    expect(crc16(new Uint8Array(62))).toBe(0)
  })

  it('is the polynomial itself for a single 1', () => expect(crc16(Uint8Array.of(1))).toBe(0x1021))

  it('uses only the first `length` bytes', () => expect(crc16(new TextEncoder().encode('123456789 and more'), 9)).toBe(0x31c3))

  it('equals the division bit by bit', () =>
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (data) => crc16(data) === bitByBit(data))))

  it('is 0 over data followed by its own CRC', () =>
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        (data) => crc16(Uint8Array.of(...data, crc16(data) >>> 8, crc16(data) & 0xff)) === 0,
      ),
    ))
})
