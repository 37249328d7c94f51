import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import type { Command } from '@slotwire/sdbp'
import {
  commandCodeOf,
  decodeResponse,
  encodeRequest,
  encodeTransactionError,
  ModuleRefusal,
  TransactionError,
} from '@slotwire/sdbp'
import { ComputeModule } from '../board/compute-module.ts'
import { Rails } from '../board/rails.ts'
import { UsbHub } from '../board/usb-hub.ts'
import { Wiring } from '../circuit/wiring.ts'
import type { Firmware, FirmwareContext } from './firmware.ts'
import { OperationTable } from './firmware.ts'
import type { MemoryContent, NonVolatileMemory } from './memory.ts'
import { VolatileMemory } from './memory.ts'

export interface BareModuleOptions<M extends NonVolatileMemory> {
  readonly slot: number
  readonly seed?: number
  readonly memory?: M
  readonly clock?: ManualClock
  readonly board?: Partial<BareBoard>
}

interface BareBoard {
  readonly rails: Rails
  readonly usb: UsbHub
  readonly computer: ComputeModule
}

/** A board without other modules, which ignores restarts. */
export function bareBoard(clock: ManualClock) {
  return {
    wiring: new Wiring(),
    rails: new Rails(),
    usb: new UsbHub(clock),
    computer: new ComputeModule(),
    restartDevice: (): void => undefined,
  }
}

/** One firmware on a bare board, in its initial state. `ask` sends it payloads directly, without bus, modes and chassis. */
export function bareModule<F extends Firmware, M extends NonVolatileMemory = VolatileMemory>(
  definition: { create(context: FirmwareContext): F },
  options: BareModuleOptions<M>,
) {
  const clock = options.clock ?? new ManualClock()
  const memory = options.memory ?? (new VolatileMemory() as NonVolatileMemory as M)
  /** Restarts of the whole device, with reason and time. */
  const restarts: { reason: string; atMs: number }[] = []
  const board = {
    ...bareBoard(clock),
    restartDevice: (reason: string) => void restarts.push({ reason, atMs: clock.now() }),
    ...options.board,
  }
  const random = seededRandom(options.seed ?? 1)
  const firmware = definition.create({
    slot: options.slot,
    clock,
    random,
    memory,
    board,
    log: silentLog,
    notify: () => undefined,
  })
  const table = new OperationTable(firmware.handlers, firmware.statusOfInvalid?.bind(firmware))
  firmware.reset()
  const raw = (...payload: number[]): Uint8Array => table.run(commandCodeOf(Uint8Array.from(payload)), Uint8Array.from(payload))
  const ask = <Request, Response>(command: Command<Request, Response>, request: Request): Response =>
    decodeResponse(command, raw(...encodeRequest(command, request)))
  /** The status with which the module refuses; undefined if it accepts. */
  const refusal = (attempt: () => unknown): number | undefined => {
    try {
      attempt()
    } catch (error) {
      if (error instanceof ModuleRefusal) return error.status
      throw error
    }
    return undefined
  }
  return { clock, memory, board, restarts, firmware, raw, ask, refusal }
}

/** Answer of a module to data of a wrong length if the command has no status. */
export const LENGTH_REJECTED = encodeTransactionError(TransactionError.dataLengthInvalid)

/** A memory that cannot be read for a while, such as without a free file descriptor. */
export class UnreadableMemory extends VolatileMemory {
  isUnreadable = true

  override load(): MemoryContent {
    return this.isUnreadable ? { state: 'unreadable', reason: 'EMFILE: too many open files' } : super.load()
  }
}

/** A memory with a full disk: it can only be read. */
export class FullMemory extends VolatileMemory {
  full = true

  override save(document: Readonly<Record<string, unknown>>): void {
    if (this.full) throw new Error('ENOSPC: no space left on device')
    super.save(document)
  }

  override clear(): void {
    if (this.full) throw new Error('EROFS: read-only file system')
    super.clear()
  }
}
