import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultOf } from './fault.testkit.ts'
import { fromHex, toHex } from './hex.testkit.ts'
import { decodeNotification, encodeNotification } from './notification.ts'

describe('the answer to GET_NOTIFICATION', () => {
  it("contains status 0 and the module's bytes", () => {
    expect(toHex(encodeNotification(fromHex('02 00 00 20')))).toBe('01 06 02 00 02 00 00 20')
    expect(decodeNotification(fromHex('01 06 02 00 02 00 00 20'))).toEqual(fromHex('02 00 00 20'))
  })

  it('may have no bytes', () => expect(decodeNotification(fromHex('01 06 02 00'))).toEqual(new Uint8Array(0)))

  it('is ERROR 3 when nothing is pending', () => {
    expect(toHex(encodeNotification(undefined))).toBe('01 06 01 03')
    expect(decodeNotification(fromHex('01 06 01 03'))).toBeUndefined()
    expect(decodeNotification(fromHex('01 06 01 03 7F'))).toBeUndefined()
  })

  it.each([
    ['another error', '01 06 01 02', 'rejected'],
    ['another status', '01 06 02 01 00', 'rejected'],
    ['another operation', '01 06 03 00', 'rejected'],
    ['another class', '01 05 02 00', 'class'],
    ['a transaction error', '01 01 06', 'class'],
    ["a module's own command", '03 06 02 00', 'class'],
    ['no status', '01 06 02', 'truncated'],
    ['nothing', '', 'truncated'],
  ])('is refused when it is %s', (_, hex, fault) => expect(faultOf(() => decodeNotification(fromHex(hex)))).toBe(fault))

  it('decodes to the encoded bytes, whatever they are', () =>
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeNotification(encodeNotification(bytes))).toEqual(bytes)
      }),
    ))
})
