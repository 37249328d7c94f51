import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeResponse, encodeResponse } from './command.ts'
import { getVendorName } from './core-commands.ts'
import type { TextPart } from './fields.ts'
import { faultOf, fromHex, toHex } from './hex.testkit.ts'

const encode = (part: TextPart): string => toHex(encodeResponse(getVendorName, { part })).slice('01 02 09 '.length)
const decode = (hex: string): TextPart => decodeResponse(getVendorName, fromHex(`01 02 09 ${hex}`)).part

describe('text parts of the descriptor', () => {
  it('are chained: parts without NUL until the last, whose length includes it', () => {
    const answers = ['01 02 41 63', '01 01 6D', '00 02 65 00']
    expect(answers.map((hex) => decode(hex).text).join('')).toBe('Acme')
    expect(answers.map((hex) => decode(hex).last)).toEqual([false, false, true])
    expect(encode({ last: false, text: 'Ac' })).toBe(answers[0])
    expect(encode({ last: true, text: 'e' })).toBe(answers[2])
  })

  it('treat any chaining byte except 0 as more to come', () => expect(decode('02 01 41')).toEqual({ last: false, text: 'A' }))

  it('have the size limit of the length byte: 254 characters and NUL, or 255', () => {
    expect(decode(encode({ last: true, text: 'x'.repeat(254) })).text).toHaveLength(254)
    expect(decode(encode({ last: false, text: 'x'.repeat(255) })).text).toHaveLength(255)
    expect(faultOf(() => encode({ last: true, text: 'x'.repeat(255) }))).toBe('value')
    expect(faultOf(() => encode({ last: false, text: 'x'.repeat(256) }))).toBe('value')
  })

  it.each(['100 %', 'Zürich', 'a\0b', 'line\n', '\x7f'])('refuse %j: only printable ASCII without %%', (text) =>
    expect(faultOf(() => encode({ last: true, text }))).toBe('value'),
  )

  it.each([
    ['a last part that does not end in NUL', '00 02 41 42'],
    ['a last part of nothing, not even NUL', '00 00'],
    ['a NUL in the middle', '00 03 41 00 00'],
    ['a NUL in a part that is not the last', '01 02 41 00'],
    ['a byte beyond ASCII', '00 02 E9 00'],
    ['a per cent sign', '00 02 25 00'],
  ])('refuse %s: value', (_, hex) => expect(faultOf(() => decode(hex))).toBe('value'))

  it('report a part shorter than its length: truncated', () => {
    expect(faultOf(() => decode('00 05 41 00'))).toBe('truncated')
    expect(faultOf(() => decode('00'))).toBe('truncated')
  })

  it('decode to the encoded text', () => {
    const character = fc.integer({ min: 0x20, max: 0x7e }).filter((code) => code !== 0x25)
    const text = fc.array(character, { maxLength: 254 }).map((codes) => String.fromCharCode(...codes))
    fc.assert(
      fc.property(fc.record({ last: fc.boolean(), text }), (part) => {
        expect(decode(encode(part))).toEqual(part)
      }),
    )
  })
})
