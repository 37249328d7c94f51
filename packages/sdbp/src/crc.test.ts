import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc16 } from './frame.ts'

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
