import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'
import type { Clock, Log, Repeated } from '@slotwire/core'

/** Error numbers of the kernel driver that Node.js has no names for, as on Linux on x86 and ARM. */
const UNNAMED = { EBADSLT: 57, ECOMM: 70 } as const

/** The error numbers that the adapter distinguishes, among others. */
export const Errno = { ...constants.errno, ...UNNAMED } as const

const names = new Map<number, string>(Object.entries(UNNAMED).map(([name, number]) => [number, name]))

/** `EBUSY`, or `errno 42` if the runtime has no name for it. EWOULDBLOCK equals EAGAIN. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? getSystemErrorMap().get(-errno)?.[0] ?? `errno ${errno}`
}

/** A system call failed. `errno` is positive, as in `Errno`. */
export class KernelFileError extends Error {
  override readonly name = 'KernelFileError'

  constructor(
    readonly syscall: string,
    readonly errno: number,
    readonly file: string,
  ) {
    super(`${syscall} ${file}: ${errnoName(errno)}`)
  }
}

/** A system call has no result: its process ended or could not be started, or the file was closed before. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded'
}

/** There is no Perl, which runs these processes. */
export class InterpreterMissing extends ChildEnded {
  constructor(what: string) {
    super(`${what} could not be started: there is no perl`)
  }
}

/** The content of a file as UTF-8 (U+FFFD for each invalid byte), or why it could not be read. */
export type FileContent = string | KernelFileError

/** An open `/dev/slotN`. Its process is used again after a normal close: calls on this object do not affect the next file. */
export interface SlotFile {
  /**
   * Writes one payload, then reads one. Allows one call at a time. Rejects with `KernelFileError` of `write` or `read`, or with
   * `ChildEnded`; a second call at the same time with `Error`.
   */
  exchange(payload: Uint8Array): Promise<Uint8Array>
  /** As `SlotLink.repeat`. Rejects as `exchange` does. */
  readonly repeat?: (payload: Uint8Array, response: Uint8Array) => Promise<Repeated>
  /** As `SlotLink.onRestart`. */
  readonly onRestart?: (listener: () => void) => void
  /** Closes the file, by force during an exchange. Resolves when no process has it open; never rejects. */
  close(): Promise<void>
  /** As `close`, but always by force. */
  kill(): Promise<void>
}

/**
 * The system calls on `/sys` and `/dev`. Each may block for long, so other processes make them. Rejects with `KernelFileError` if a call
 * fails, and with `ChildEnded` if the process that makes it ends.
 */
export interface KernelFiles {
  /** The names in a folder. */
  list(folder: string): Promise<readonly string[]>
  /** The path of a file or folder without symbolic links. */
  resolve(file: string): Promise<string>
  /** The whole content of each file, in this order. */
  read(files: readonly string[]): Promise<readonly FileContent[]>
  write(file: string, content: string): Promise<void>
  /**
   * Opens a `notification`, reads it once for as long as it takes, and closes it, without end. Calls `onContent` with each notification, and
   * with malformed content. Pauses for 1 ms after a failure, and for twice as long after each further one; rejects when a read fails after
   * 100 ms, or at once if `failedBefore`. Abort kills the process that does this.
   */
  follow(file: string, failedBefore: boolean, onContent: (content: string) => void, signal: AbortSignal): Promise<void>
  /**
   * Looks at the slots in a folder, their `rid`, and at more files, every `intervalMs`. Resolves with what it sees when that is not `known`,
   * at the latest after `looks`. Left out: the caller looks by itself.
   */
  watch?(folder: string, files: readonly string[], known: string, how: WatchOptions): Promise<string>
  /** Opens `/dev/slotN`. `failedNotifications` is the file that counts these. Abort kills the process that does this. */
  open(file: string, failedNotifications: string, signal: AbortSignal): Promise<SlotFile>
  /** Replaces the process that reads `/sys`, when it does not answer. The new process repeats the pending calls. */
  replaceReader(): void
  /** Kills all these processes; the kernel closes the files. Resolves when that is done; never rejects. */
  close(): Promise<void>
}

export interface WatchOptions {
  readonly intervalMs: number
  readonly looks: number
}

/** What every part of the adapter needs. */
export interface KernelContext {
  /** `/sys`, or the folder of a test. */
  readonly sysRoot: string
  /** `/dev`, or the folder of a test. */
  readonly devRoot: string
  readonly clock: Clock
  readonly log: Log
  readonly files: KernelFiles
}

/** The folder that contains one folder for each slot with a module. */
export function slotsFolder({ sysRoot }: Pick<KernelContext, 'sysRoot'>): string {
  return `${sysRoot}/class/sdbp`
}
