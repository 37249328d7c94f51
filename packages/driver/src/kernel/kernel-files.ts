import type { Clock, Log } from '@slotwire/core'
import { errnoName } from './errno.ts'

/** A system call failed. `errno` as in `Errno`: positive. */
export class KernelFileError extends Error {
  override readonly name = 'KernelFileError'
  readonly syscall: string
  readonly errno: number
  readonly file: string

  constructor(syscall: string, errno: number, file: string) {
    super(`${syscall} ${file}: ${errnoName(errno)}`)
    this.syscall = syscall
    this.errno = errno
    this.file = file
  }
}

/** The process that made the system calls ended before they came back: killed, crashed, or never started. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded'
}

/** What stands in a file, which is UTF-8 (U+FFFD is what is not), or why it could not be read. */
export type FileContent = string | KernelFileError

/** An open `/dev/slotN`. Once it has been closed in peace nothing of this reaches whatever its process opens next. */
export interface SlotFile {
  /** Writes one payload, then reads one. One at a time. Rejects with `KernelFileError` of `write` or `read`, or with `ChildEnded`. */
  exchange(payload: Uint8Array): Promise<Uint8Array>
  /** Closes the file; at once and by force while an exchange is under way. Resolves when nobody has it open any more; never rejects. */
  close(): Promise<void>
  /** As `close`, by force in any case. */
  kill(): Promise<void>
}

/**
 * The system calls on `/sys` and `/dev`: all of them may block for long, and none of them does so in this process. Rejections are
 * `KernelFileError` where a call failed, `ChildEnded` where the process that made it did.
 */
export interface KernelFiles {
  /** Names in a folder. */
  list(folder: string): Promise<readonly string[]>
  /** Each file read to its end, in this order. */
  read(files: readonly string[]): Promise<readonly FileContent[]>
  write(file: string, content: string): Promise<void>
  /** Opens a file, reads once, however long that takes, and closes it. An aborted one is given up by force. */
  readOnce(file: string, signal: AbortSignal): Promise<string>
  /** Opens `/dev/slotN`. An aborted one is given up by force. */
  open(file: string, signal: AbortSignal): Promise<SlotFile>
  /** The process that makes the calls on `/sys` answers nobody: it is killed, and the next one asked for everything that is under way. */
  replaceReader(): void
  /** Gives up everything by force: the kernel closes the files. Resolves when that is done; never rejects. */
  close(): Promise<void>
}

/** What every part of the adapter works with. */
export interface KernelContext {
  /** `/sys`, or where a test has its own. */
  readonly sysRoot: string
  /** `/dev`, or where a test has its own. */
  readonly devRoot: string
  readonly clock: Clock
  readonly log: Log
  readonly files: KernelFiles
}

/** The folder with a folder for each slot that holds a module. */
export function slotsFolder({ sysRoot }: Pick<KernelContext, 'sysRoot'>): string {
  return `${sysRoot}/class/sdbp`
}
