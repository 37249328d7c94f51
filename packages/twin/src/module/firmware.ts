import type { Clock, Log, ModuleDescriptor, Random } from '@slotwire/core'
import type { AnyCommand, Command, SdbpError } from '@slotwire/sdbp'
import type { Board } from '../board/board.ts'
import type { Settings } from '../settings/field.ts'
import type { SettingFields } from '../settings/setting-values.ts'
import type { NonVolatileMemory } from './memory.ts'

/** What the engine gives to the firmware of one plugged module. */
export interface FirmwareContext {
  readonly slot: number
  readonly clock: Clock
  readonly random: Random
  readonly memory: NonVolatileMemory
  readonly board: Board
  readonly log: Log
  /** Has these notification bytes (bit masks) fetched by the host; merged by OR with what is still waiting. */
  notify(bytes: Uint8Array): void
}

/** Answers one command of the module type. */
export interface CommandHandler {
  readonly command: AnyCommand
  /** Called with what the command's request is, once it has been decoded. */
  run(request: unknown): unknown
}

/** The firmware of one module type while it is plugged in. The engine does the core commands, modes and framing. */
export interface Firmware {
  /** Read anew for every descriptor command, so figures may change (max_power of an io module). */
  descriptor(): ModuleDescriptor
  readonly handlers: readonly CommandHandler[]
  /**
   * Goes to the initial state: at power-up, at SUSPEND (asked for or by fail-safe), before a restart. Non-volatile contents stay and
   * are applied. Called before anything else.
   */
  reset(): void
  /** RUN was entered from SUSPEND. */
  start?(): void
  /** The module loses its supply: stop every timer, drive nothing. */
  powerDown(): void
  /** FACTORY_RESET: non-volatile contents go back to what they were when new. Throws `Refusal` when it cannot. */
  factoryReset?(): void
  /** SYSTEM_RESET: restarts this module alone unless the firmware does more. Called after the answer went out. */
  systemReset?(): void
  /**
   * Status for a request whose field does not fit, or its one result byte where the response has no status; 1 where the firmware does
   * not say. Undefined: rejected with a transaction error.
   */
  statusOfInvalid?(command: AnyCommand, error: SdbpError): number | undefined
  /** What somebody at the module can do to it, beside its pins: `shutdown_switch`. */
  readonly actions?: Readonly<Record<string, () => void>>
  /** What somebody at the module can see or hear: plain data, for people. */
  readonly observations?: Readonly<Record<string, () => unknown>>
  /** Values of the settings that the definition declares, as in `new SettingValues(settings)`. They outlast resets and power-downs. */
  readonly settings?: { readonly now: Settings; set(change: Settings): void }
  /** What can break in this type of module alone: each begins when called, and ends when what it returns is called. */
  readonly defects?: Readonly<Record<string, () => () => void>>
}

/** A module type as the chassis plugs it. */
export interface FirmwareDefinition {
  readonly vendorProductId: string
  /** How many pins the module has, numbered from 1. A type without pins leaves it out. */
  readonly pins?: number
  /** Ports of the device's USB hub, by the slot that each is wired to: for the type that controls the hub. */
  readonly usbPorts?: Readonly<Record<number, number>>
  /** What somebody at the module can change about its surroundings, with unit, bounds and default. No name may be `slot` or `of`. */
  readonly settings?: SettingFields
  create(context: FirmwareContext): Firmware
}

/** Module types by the name of their service: `io`. */
export type ModuleTypes = Readonly<Record<string, FirmwareDefinition>>

/** The most pins that a module of any of these types has: pins 1 to this number can be wired. */
export function mostPins(moduleTypes: readonly FirmwareDefinition[]): number {
  return Math.max(0, ...moduleTypes.map(({ pins = 0 }) => pins))
}

/** Thrown by a handler: answers with this status of the command's class. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: number) {
    super(`refused with status ${status}`)
    this.status = status
  }
}

/** Binds a command to what the firmware does for it. */
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
