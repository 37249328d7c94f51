import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressBytes, addressText, isLinkLocal } from './ip-address.ts'

describe('an IP address', () => {
  it.each([
    ['10.0.0.255', [10, 0, 0, 255]],
    ['::', Array<number>(16).fill(0)],
    ['::1', [...Array<number>(15).fill(0), 1]],
    ['fd77:1::2', [0xfd, 0x77, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ['fe80::', [0xfe, 0x80, ...Array<number>(14).fill(0)]],
  ])('%s has these bytes, and they that text', (text, bytes) => {
    expect([...(addressBytes(text) ?? [])]).toEqual(bytes)
    expect(addressText(Uint8Array.from(bytes))).toBe(text)
  })

  it('may be written in other ways: with IPv4 at its end, in capitals, with zeros', () => {
    expect(addressBytes('::ffff:10.0.0.1')).toEqual(Uint8Array.from([...Array<number>(10).fill(0), 255, 255, 10, 0, 0, 1]))
    expect(addressBytes('FD77:0001:0:0::0002')).toEqual(addressBytes('fd77:1::2'))
  })

  it.each(['', 'press-4', '10.0.0', '10.0.0.256', '1::2::3', 'fe80::1%eth0'])('is not %j', (text) => {
    expect(addressBytes(text)).toBeUndefined()
  })

  it('has 4 or 16 bytes', () => {
    expect(addressText(Uint8Array.of(1, 2, 3))).toBeUndefined()
  })

  it('comes back from its text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(addressBytes(addressText(bytes) ?? '')).toEqual(bytes)
      }),
    )
  })

  it('is link-local from fe80 to febf', () => {
    expect(['fe80::1', 'FEBF::1', 'fec0::1', 'fd77::1', '169.254.0.1'].map(isLinkLocal)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
