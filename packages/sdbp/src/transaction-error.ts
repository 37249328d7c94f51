import { CORE_CLASS_IDENTIFIER } from './core-commands.ts'
import { SdbpError } from './errors.ts'

/** Codes of a module's rejection of a whole frame; wire-protocol.md section 1. */
export const TransactionError = {
  messageTypeInvalid: 1,
  classIdentifierInvalid: 2,
  frameCrc: 3,
  classInvalid: 4,
  dataLengthInvalid: 5,
  wrongMode: 6,
} as const
export type TransactionError = (typeof TransactionError)[keyof typeof TransactionError]

const names = new Map<number, string>(Object.entries(TransactionError).map(([name, code]) => [code, name]))
const CLASS = 1
const SIZE = 3

/** Module: encodes the rejection of the last frame. */
export function encodeTransactionError(code: TransactionError): Uint8Array {
  return Uint8Array.of(CORE_CLASS_IDENTIFIER, CLASS, code)
}

/** Host: throws `transaction` if this payload rejects the frame; ignores trailing bytes. */
export function throwIfTransactionError(payload: Uint8Array): void {
  if (payload.length < SIZE || payload[0] !== CORE_CLASS_IDENTIFIER || payload[1] !== CLASS) return
  const code = payload[2] as number
  throw new SdbpError('transaction', `the module rejected the frame: ${names.get(code) ?? `code ${code}`}`)
}
