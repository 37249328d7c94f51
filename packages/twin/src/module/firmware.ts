import type { Clock, Log, ModuleDescriptor, Random } from '@slotwire/core'
import {
  type AnyCommand,
  type Command,
  type CommandCode,
  decodeRequest,
  ERROR_OPERATION,
  encodeRefusal,
  encodeResponse,
  encodeTransactionError,
  SdbpError,
  TransactionError,
} from '@slotwire/sdbp'
import type { Board } from '../board/board.ts'
import type { BenchSettings, SettingFields } from '../settings/kind.ts'
import type { NonVolatileMemory } from './memory.ts'

/** Resources of the firmware of one plugged module. */
export interface FirmwareContext {
  readonly slot: number
  readonly clock: Clock
  readonly random: Random
  readonly memory: NonVolatileMemory
  readonly board: Board
  readonly log: Log
  /** Queues notification bytes (bit masks) for the host; merged by OR with bytes that are still waiting. */
  notify(bytes: Uint8Array): void
}

/** Answers one command of a module type; with a `Module`, of all modules. */
export interface CommandHandler<Module = void> {
  readonly command: AnyCommand
  /** Called with the decoded request. */
  run(request: unknown, module: Module): unknown
}

/** The firmware of one module type while it is plugged. The engine handles core commands, modes and framing. */
export interface Firmware {
  /** Called for every descriptor command, so values may change (max_power of an io module). */
  descriptor(): ModuleDescriptor
  readonly handlers: readonly CommandHandler[]
  /**
   * Sets the initial state: at power-up, at SUSPEND (by command or by fail-safe), before a restart. Non-volatile data is kept and applied.
   * Called before any other method.
   */
  reset(): void
  /** Called when RUN is entered from SUSPEND. */
  start?(): void
  /** The module loses its supply: stop every timer, drive nothing. */
  powerDown(): void
  /** FACTORY_RESET: restores the factory values of non-volatile data. Throws `Refusal` if it cannot. */
  factoryReset?(): void
  /** SYSTEM_RESET: the default restarts this module only. Called after the answer was sent. */
  systemReset?(): void
  /**
   * Status for a request with an invalid field; if the response has no status, its one result byte. Default 1. Undefined: rejected with a
   * transaction error.
   */
  statusOfInvalid?(command: AnyCommand, error: SdbpError): number | undefined
  /** What a person can do to the module, beside its pins: `shutdown_switch`. The definition lists the names. */
  readonly actions?: Readonly<Record<string, () => void>>
  /** What a person can see or hear at the module: plain data. */
  readonly observations?: Readonly<Record<string, () => unknown>>
  /** Values of the declared settings, as in `new SettingValues(settings)`. They survive resets and power-downs. */
  readonly settings?: { readonly now: BenchSettings; set(change: BenchSettings): void }
  /** Defects that only this module type has: each begins when called, and returns a function that ends it. The definition lists the names. */
  readonly defects?: Readonly<Record<string, () => () => void>>
}

/** A module type that can be plugged. */
export interface FirmwareDefinition {
  readonly vendorProductId: string
  /** Whether the firmware can have saved this document. Default: any. */
  readonly isMemory?: (document: Readonly<Record<string, unknown>>) => boolean
  /** Number of pins, numbered from 1. Omit it for a type without pins. */
  readonly pins?: number
  /** Ports of the device's USB hub by slot, for the type that controls the hub. */
  readonly usbPorts?: Readonly<Record<number, number>>
  /** Settings of the module's surroundings that a person can change, with unit, bounds and default. No name may be `slot` or `of`. */
  readonly settings?: SettingFields
  /** Names of its buttons and switches. */
  readonly actions?: readonly string[]
  /** Names of the defects that only this type has. */
  readonly defects?: readonly string[]
  create(context: FirmwareContext): Firmware
}

/** Module types by the name of their service: `io`. */
export type ModuleTypes = Readonly<Record<string, FirmwareDefinition>>

/** The firmware of all module types of a catalog. */
export function typesIn(catalog: Readonly<Record<string, { readonly firmware: FirmwareDefinition }>>): ModuleTypes {
  return Object.fromEntries(Object.entries(catalog).map(([name, { firmware }]) => [name, firmware]))
}

/** The highest number of pins of these types: pins 1 to this number can be wired. */
export function maxPins(moduleTypes: readonly FirmwareDefinition[]): number {
  return Math.max(0, ...moduleTypes.map(({ pins = 0 }) => pins))
}

/** Thrown by a handler to answer with this status of the command's class. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(readonly status: number) {
    super(`refused with status ${status}`)
  }
}

/** Binds a command to its handler. */
export function on<Request, Response, Module = void>(
  command: Command<Request, Response>,
  run: (request: Request, module: Module) => Response,
): CommandHandler<Module> {
  return { command, run }
}

/** Binds a command whose response has no data. */
export function obey<Request, Module = void>(
  command: Command<Request, Record<never, never>>,
  run: (request: Request, module: Module) => void,
): CommandHandler<Module> {
  return on(command, (request: Request, module: Module) => {
    run(request, module)
    return {}
  })
}

/** Status 1 of every class: the general refusal. */
const GENERAL_REFUSAL = 1

type StatusOfInvalid = (command: AnyCommand, error: SdbpError) => number | undefined

function generalRefusal(command: AnyCommand): number | undefined {
  return command.statuses === undefined ? undefined : GENERAL_REFUSAL
}

/** Finds and runs the handler of an operation payload. */
export class OperationTable<Module = void> {
  constructor(
    private readonly commands: readonly CommandHandler<Module>[],
    private readonly statusOfInvalid: StatusOfInvalid = generalRefusal,
  ) {}

  /** Response payload for an operation payload; a transaction error for an unknown class. */
  run(code: CommandCode, payload: Uint8Array, module: Module): Uint8Array {
    let isClassKnown = false
    let invalid: Uint8Array | undefined
    // There are few commands. A linear search is fast, and a map would cost memory in each of a thousand modules.
    for (const handler of this.commands) {
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
    const status = this.statusOfInvalid(command, error)
    if (status === undefined) return encodeTransactionError(TransactionError.dataLengthInvalid)
    if (command.statuses !== undefined) return encodeRefusal(command, status)
    return Uint8Array.of(command.classIdentifier, command.class, command.operation, status)
  }
}

function respond<Module>(handler: CommandHandler<Module>, request: unknown, module: Module): Uint8Array {
  const { command } = handler
  try {
    return encodeResponse(command, handler.run(request, module))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return encodeRefusal(command, error.status)
  }
}
