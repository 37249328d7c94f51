import type { Clock, Log, ModuleDescriptor, Random } from '@slotwire/core'
import type { AnyCommand, Command, SdbpError } from '@slotwire/sdbp'
import type { Board } from '../board/board.ts'
import type { Settings } from '../settings/field.ts'
import type { SettingFields } from '../settings/setting-values.ts'
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

/** Answers one command of the module type. */
export interface CommandHandler {
  readonly command: AnyCommand
  /** Called with the decoded request. */
  run(request: unknown): unknown
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
  readonly settings?: { readonly now: Settings; set(change: Settings): void }
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

/** The highest number of pins of these types: pins 1 to this number can be wired. */
export function maxPins(moduleTypes: readonly FirmwareDefinition[]): number {
  return Math.max(0, ...moduleTypes.map(({ pins = 0 }) => pins))
}

/** Thrown by a handler to answer with this status of the command's class. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: number) {
    super(`refused with status ${status}`)
    this.status = status
  }
}

/** Binds a command to its handler. */
export function on<Request, Response>(command: Command<Request, Response>, run: (request: Request) => Response): CommandHandler {
  return { command, run }
}

/** Binds a command whose response has no data. */
export function obey<Request>(command: Command<Request, Record<never, never>>, run: (request: Request) => void): CommandHandler {
  return on(command, (request) => {
    run(request)
    return {}
  })
}
