import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, codeOf, type Log, orElse, type Timer, type WallTime } from '@slotwire/core'
import { lastStoredBoot } from '@slotwire/events'
import {
  DurableFile,
  type FileLock,
  lockHolder,
  type ProcessIdentity,
  tryLock,
  UnreadableLockError,
  type WriteGuard,
} from '@slotwire/storage'
import { UsageError } from '../terminal/usage-error.ts'
import { openStateFolder, withWriteErrors } from './state-folder.ts'

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

interface StateAccessOptions {
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
  /** Steps to take before the next write, in this order. */
  readonly #pending: (() => void)[] = []
  #lock: FileLock | undefined
  /** Why nothing is saved; undefined: the last write succeeded. */
  #reason: string | undefined
  #timer: Timer | undefined

  /** Throws `UsageError` if another process holds the lock, or if this user may not write. */
  constructor(private readonly options: StateAccessOptions) {
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
    this.options.log.info({ folder: this.folder }, 'the state folder can be written again')
  }

  /** The first failure for another reason ends the start. */
  #noteFailure(error: unknown): void {
    if (this.#reason === undefined && !isUnwritable(error)) return
    const reason = reasonOf(error)
    if (reason !== this.#reason) this.options.log.error({ err: error }, 'nothing can be saved in the state folder')
    this.#reason = reason
    this.#timer?.cancel()
    this.#timer = this.options.clock.after(RETRY_MS, () => orElse(undefined, () => this.#catchUp()))
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

/** The living process that uses the folder; undefined: none. Throws `UsageError` for an unreadable lock. */
export function processUsing(state: string): number | undefined {
  return withLockErrors(() => lockHolder(pathOf(state)))
}

/**
 * Locks the folder for this process, until release or its end. Replaces the lock of a killed process. Throws `UsageError` if a living
 * process holds the lock, or if the folder is not writable: the disk may be full.
 */
export function lockState(state: string, own?: ProcessIdentity): FileLock {
  const attempt = withLockErrors(() => withWriteErrors(state, () => tryLock(pathOf(state), own)))
  if ('lock' in attempt) return attempt.lock
  throw new UsageError(
    `the state folder ${state} is in use by process ${attempt.holder}: stop it, or choose another with --state <dir>`,
  )
}

function pathOf(state: string): string {
  return join(state, 'lock')
}

function withLockErrors<Result>(look: () => Result): Result {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof UnreadableLockError)) throw error
    throw new UsageError(`${error.message}: choose another folder with --state <dir>`, { cause: error })
  }
}

const MS_PER_SECOND = 1000

/**
 * The number of this start of the process, from 1: higher than before, and than that of every record in the history. A device that has its
 * identity but no number was restored, and had higher ones: it continues with the date in seconds. So does a start that cannot store its number
 * now; it is stored as soon as possible.
 */
export function nextBoot(state: StateAccess, wallTime: WallTime): number {
  const file = new DurableFile(join(state.folder, 'boot'))
  const stored = numberIn(file)
  const dateSeconds = Math.floor(wallTime() / MS_PER_SECOND)
  const isRestored = stored === 0 && existsSync(join(state.folder, 'machine-id'))
  let boot = Math.max(stored + 1, lastStoredBoot(state.folder) + 1, isRestored ? dateSeconds : 0)
  try {
    state.guard(() => file.write(`${boot}\n`))
  } catch (error) {
    if (!isUnwritable(error)) throw error
    boot = Math.max(boot, dateSeconds)
    // Another process may have started meanwhile, and have a higher one.
    state.prepare(() => {
      if (numberIn(file) < boot) file.write(`${boot}\n`)
    })
  }
  return boot
}

/** 0 for a missing or damaged file. */
function numberIn(file: DurableFile): number {
  const text = orElse(undefined, () => file.read()) ?? ''
  return /^[1-9]\d{0,11}\n$/.test(text) ? Number(text) : 0
}
