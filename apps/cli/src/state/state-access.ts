import { join } from 'node:path'
import { type Clock, codeOf, type Log, orElse, type Timer } from '@slotwire/core'
import { DurableFile, type FileLock, type WriteGuard } from '@slotwire/storage'
import { openStateFolder } from './state-folder.ts'
import { lockState } from './state-lock.ts'

/** Errors of a disk that is full, over its quota, or read-only. It may be written again later. */
const UNWRITABLE = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])
/** Interval to try again what could not be written. */
export const RETRY_MS = 10_000
/** Written to find out whether the disk has room again: a block. */
const PROBE = ' '.repeat(4096)

/** Whether an error or its cause says that the disk cannot be written at present. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(codeOf(error) ?? '') || (error instanceof Error && isUnwritable(error.cause))
}

export interface StateAccessOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
}

/**
 * The state folder of a service, locked. While its disk is full or read-only, the service serves what it can read, and saves nothing: not
 * before the folder is locked and all other steps of the start are made.
 */
export class StateAccess {
  readonly folder: string
  readonly #options: StateAccessOptions
  /** Steps to take before the next write, in this order. */
  readonly #pending: (() => void)[] = []
  #lock: FileLock | undefined
  /** Why nothing is saved; undefined: the last write succeeded. */
  #reason: string | undefined
  #timer: Timer | undefined

  /** Throws `UsageError` if another process holds the lock, or if this user may not write. */
  constructor(options: StateAccessOptions) {
    this.#options = options
    this.folder = options.folder
    this.prepare(() => {
      openStateFolder(this.folder)
      this.#lock = lockState(this.folder)
    })
  }

  /** Takes a step that writes; if the disk cannot be written, as soon as it can. Throws every other error of the step. */
  prepare(step: () => void): void {
    this.#pending.push(step)
    try {
      this.#catchUp()
    } catch (error) {
      if (!isUnwritable(error)) throw error
    }
  }

  /** For the files in the folder: runs a write, or throws why nothing can be saved. */
  readonly guard: WriteGuard = (write) => {
    this.#catchUp()
    try {
      write()
    } catch (error) {
      if (isUnwritable(error)) {
        this.#pending.push(() => this.#probe())
        this.#noteFailure(error)
      }
      throw error
    }
  }

  /** A sentence for operators while nothing is saved. */
  get warnings(): readonly string[] {
    return this.#reason === undefined ? [] : [`state folder: nothing is saved (${this.#reason})`]
  }

  close(): void {
    this.#timer?.cancel()
    this.#lock?.release()
  }

  #catchUp(): void {
    try {
      for (let step = this.#pending[0]; step !== undefined; step = this.#pending[0]) {
        step()
        this.#pending.shift()
      }
    } catch (error) {
      this.#noteFailure(error)
      throw error
    }
    if (this.#reason === undefined) return
    this.#reason = undefined
    this.#timer?.cancel()
    this.#options.log.info({ folder: this.folder }, 'the state folder can be written again')
  }

  /** The first failure for another reason ends the start. */
  #noteFailure(error: unknown): void {
    if (this.#reason === undefined && !isUnwritable(error)) return
    const reason = reasonOf(error)
    if (reason !== this.#reason) this.#options.log.error({ err: error }, 'nothing can be saved in the state folder')
    this.#reason = reason
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(RETRY_MS, () => orElse(undefined, () => this.#catchUp()))
  }

  #probe(): void {
    const file = new DurableFile(join(this.folder, 'probe'))
    file.write(PROBE)
    file.remove()
  }
}

/** The system's code without paths: every client can read it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return codeOf(error) ?? (error.cause === undefined ? error.message : reasonOf(error.cause))
}
