import type { AnyCommand, CommandCode } from '@slotwire/sdbp'
import {
  decodeRequest,
  ERROR_OPERATION,
  encodeRefusal,
  encodeResponse,
  encodeTransactionError,
  SdbpError,
  TransactionError,
} from '@slotwire/sdbp'
import type { CommandHandler } from './firmware.ts'
import { Refusal } from './firmware.ts'

/** Status 1 of every class: the general refusal. */
const GENERAL_REFUSAL = 1

type StatusOfInvalid = (command: AnyCommand, error: SdbpError) => number | undefined

function generalRefusal(command: AnyCommand): number | undefined {
  return command.statuses === undefined ? undefined : GENERAL_REFUSAL
}

function key(code: CommandCode): number {
  return (code.classIdentifier << 16) | (code.class << 8) | code.operation
}

/** Finds and runs the handler of an operation payload. */
export class OperationTable {
  readonly #handlers = new Map<number, CommandHandler[]>()
  readonly #classes = new Set<number>()
  readonly #statusOfInvalid: StatusOfInvalid

  constructor(handlers: readonly CommandHandler[], statusOfInvalid: StatusOfInvalid = generalRefusal) {
    this.#statusOfInvalid = statusOfInvalid
    for (const handler of handlers) {
      const same = this.#handlers.get(key(handler.command)) ?? []
      this.#handlers.set(key(handler.command), [...same, handler])
      this.#classes.add(key({ ...handler.command, operation: 0 }))
    }
  }

  /** The response payload for an operation payload of this table; a transaction error for an unknown class. */
  run(code: CommandCode, payload: Uint8Array): Uint8Array {
    const handlers = this.#handlers.get(key(code))
    if (handlers === undefined) {
      return this.#classes.has(key({ ...code, operation: 0 }))
        ? Uint8Array.of(code.classIdentifier, code.class, ERROR_OPERATION, GENERAL_REFUSAL)
        : encodeTransactionError(TransactionError.classInvalid)
    }
    let invalid: Uint8Array | undefined
    for (const { command, run } of handlers) {
      let request: unknown
      try {
        request = decodeRequest(command, payload)
      } catch (error) {
        if (!(error instanceof SdbpError)) throw error
        // Commands that share a code differ in a constant: the one that gets further has more to say.
        if (invalid === undefined || error.field !== 'mode') invalid = this.#refuseInvalid(command, error)
        continue
      }
      return respond(command, run, request)
    }
    return invalid ?? encodeTransactionError(TransactionError.classInvalid)
  }

  #refuseInvalid(command: AnyCommand, error: SdbpError): Uint8Array {
    const status = this.#statusOfInvalid(command, error)
    if (status === undefined) return encodeTransactionError(TransactionError.dataLengthInvalid)
    if (command.statuses !== undefined) return encodeRefusal(command, status)
    return Uint8Array.of(command.classIdentifier, command.class, command.operation, status)
  }
}

function respond(command: AnyCommand, run: (request: unknown) => unknown, request: unknown): Uint8Array {
  try {
    return encodeResponse(command, run(request))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return encodeRefusal(command, error.status)
  }
}
