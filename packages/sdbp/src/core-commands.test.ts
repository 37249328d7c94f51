import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as core from './core-commands.ts'
import { encodeTransactionError, systemReset, TransactionError, throwIfTransactionError } from './core-commands.ts'
import { commandsIn, faultOf, fromHex, toHex } from './hex.testkit.ts'
import { decodeNotification, encodeNotification } from './notification.ts'
import { describeVectors, readVectors } from './vectors.testkit.ts'

const coreCommands = commandsIn(core)

describe('core commands, golden bytes and values near them', () => {
  const vectors = readVectors(new URL('./vectors.json', import.meta.url))
  describeVectors(coreCommands, vectors)

  it('have unique codes', () =>
    expect(new Set(vectors.requests.map(({ hex }) => hex.slice(0, 'FF FF FF'.length))).size).toBe(coreCommands.length))

  it('may be repeated after a failed exchange, except SYSTEM_RESET', () =>
    expect(coreCommands.filter(({ repeatable }) => !repeatable)).toEqual([systemReset]))
})

/** wire-protocol.md section 1. */
const codes: [keyof typeof TransactionError, string][] = [
  ['messageTypeInvalid', '01 01 01'],
  ['classIdentifierInvalid', '01 01 02'],
  ['frameCrc', '01 01 03'],
  ['classInvalid', '01 01 04'],
  ['dataLengthInvalid', '01 01 05'],
  ['wrongMode', '01 01 06'],
]

describe('transaction errors', () => {
  it.each(codes)('have the text of the wire document: %s is %s', (name, hex) => {
    expect(toHex(encodeTransactionError(TransactionError[name]))).toBe(hex)
    expect(faultOf(() => throwIfTransactionError(fromHex(hex)))).toBe('transaction')
    expect(() => throwIfTransactionError(fromHex(hex))).toThrow(`the module rejected the frame: ${name}`)
  })

  it('are all listed', () => expect(codes.map(([name]) => name).sort()).toEqual(Object.keys(TransactionError).sort()))

  it('keep the number of an unknown code', () =>
    expect(() => throwIfTransactionError(fromHex('01 01 63'))).toThrow('the module rejected the frame: code 99'))

  it('tolerate trailing bytes', () =>
    expect(faultOf(() => throwIfTransactionError(fromHex('01 01 03 7F 7F')))).toBe('transaction'))

  it.each(['', '01', '01 01', '01 03 03 00', '03 01 03', '01 06 01 03'])('are not detected in %j', (hex) =>
    expect(faultOf(() => throwIfTransactionError(fromHex(hex)))).toBe('none'),
  )
})

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
