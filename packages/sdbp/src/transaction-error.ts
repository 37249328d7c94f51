import { SdbpError } from './errors.ts'

/** Codes with which a module rejects a whole frame; wire-protocol.md section 1. */
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
const SIZE = 3

/** Module: the payload that rejects the last frame. */
export function encodeTransactionError(code: TransactionError): Uint8Array {
  return Uint8Array.of(1, 1, code)
}

/** Host: throws `transaction` if this payload rejects the frame. */
export function throwIfTransactionError(payload: Uint8Array): void {
  if (payload.length !== SIZE || payload[0] !== 1 || payload[1] !== 1) return
  const code = payload[2] as number
  throw new SdbpError('transaction', `the module rejected the frame: ${names.get(code) ?? `code ${code}`}`)
}
