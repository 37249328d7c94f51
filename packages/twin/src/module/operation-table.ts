import type { AnyCommand, Command, CommandCode } from '@slotwire/sdbp'
import {
  decodeRequest,
  ERROR_OPERATION,
  encodeRefusal,
  encodeResponse,
  encodeTransactionError,
  SdbpError,
  TransactionError,
} from '@slotwire/sdbp'
import { Refusal } from './firmware.ts'

/** Status 1 of every class: the general refusal. */
const GENERAL_REFUSAL = 1

type StatusOfInvalid = (command: AnyCommand, error: SdbpError) => number | undefined

function generalRefusal(command: AnyCommand): number | undefined {
  return command.statuses === undefined ? undefined : GENERAL_REFUSAL
}

/** Answers one command for a given `Module`. */
export interface ModuleCommand<Module> {
  readonly command: AnyCommand
  run(request: unknown, module: Module): unknown
}

/** Binds a command to a handler for all modules; `on` binds it to one. */
export function onModule<Module, Request, Response>(
  command: Command<Request, Response>,
  run: (request: Request, module: Module) => Response,
): ModuleCommand<Module> {
  return { command, run }
}

/** Finds and runs the handler of an operation payload. */
export class OperationTable<Module = undefined> {
  readonly #commands: readonly ModuleCommand<Module>[]
  readonly #statusOfInvalid: StatusOfInvalid

  constructor(commands: readonly ModuleCommand<Module>[], statusOfInvalid: StatusOfInvalid = generalRefusal) {
    this.#commands = commands
    this.#statusOfInvalid = statusOfInvalid
  }

  /** Response payload for an operation payload; a transaction error for an unknown class. */
  run(code: CommandCode, payload: Uint8Array, module: Module): Uint8Array {
    let isClassKnown = false
    let invalid: Uint8Array | undefined
    // There are few commands. A linear search is fast, and a map would cost memory in each of a thousand modules.
    for (const handler of this.#commands) {
      const { command } = handler
      if (command.class !== code.class || command.classIdentifier !== code.classIdentifier) continue
      isClassKnown = true
      if (command.operation !== code.operation) continue
      let request: unknown
      try {
        request = decodeRequest(command, payload)
      } catch (error) {
        if (!(error instanceof SdbpError)) throw error
        // Commands that share a code differ in a constant: report the error of the command that matched further.
        if (invalid === undefined || error.field !== 'mode') invalid = this.#refuseInvalid(command, error)
        continue
      }
      return respond(handler, request, module)
    }
    if (invalid !== undefined) return invalid
    return isClassKnown
      ? Uint8Array.of(code.classIdentifier, code.class, ERROR_OPERATION, GENERAL_REFUSAL)
      : encodeTransactionError(TransactionError.classInvalid)
  }

  #refuseInvalid(command: AnyCommand, error: SdbpError): Uint8Array {
    const status = this.#statusOfInvalid(command, error)
    if (status === undefined) return encodeTransactionError(TransactionError.dataLengthInvalid)
    if (command.statuses !== undefined) return encodeRefusal(command, status)
    return Uint8Array.of(command.classIdentifier, command.class, command.operation, status)
  }
}

function respond<Module>(handler: ModuleCommand<Module>, request: unknown, module: Module): Uint8Array {
  const { command } = handler
  try {
    return encodeResponse(command, handler.run(request, module))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return encodeRefusal(command, error.status)
  }
}
