import { describe, expect, it } from 'vitest'
import { encodeTransactionError, TransactionError, throwIfTransactionError } from './core-commands.ts'
import { faultOf } from './fault.testkit.ts'
import { fromHex, toHex } from './hex.testkit.ts'

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
