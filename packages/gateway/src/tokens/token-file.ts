import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, codeOf } from '@slotwire/core'
import { DurableFile, type FileLock, makeFolder, tryLock } from '@slotwire/storage'
import { assertNotRestoring } from '../backup/restore-stage.ts'
import { formatTokens, parseTokens, type StoredToken } from './token-document.ts'
import { TokenError } from './token-error.ts'

/** What differs between two versions of a file. */
export interface FileVersion {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

/** How often a process looks whether another one has finished its change, and how long it waits for that. */
const LOCK_POLL_MS = 10
const LOCK_WAIT_MS = 10_000

/** `tokens.json` in the state folder: read by many, changed by one process at a time. */
export class TokenFile {
  readonly path: string
  readonly #folder: string
  readonly #file: DurableFile

  constructor(folder: string) {
    this.#folder = folder
    this.path = join(folder, 'tokens.json')
    this.#file = new DurableFile(this.path)
  }

  /** Undefined: there is no such file. Throws the system's error. */
  version(): FileVersion | undefined {
    return statSync(this.path, { bigint: true, throwIfNoEntry: false })
  }

  /** The tokens and the version of the file that they were read from; no file holds none. Throws `TokenError`, or the system's error. */
  read(): { readonly tokens: readonly StoredToken[]; readonly version: FileVersion | undefined } {
    let file: number
    try {
      file = openSync(this.path, 'r')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { tokens: [], version: undefined }
      throw error
    }
    try {
      const version = fstatSync(file, { bigint: true })
      return { tokens: this.#parse(readFileSync(file, 'utf8')), version }
    } finally {
      closeSync(file)
    }
  }

  /**
   * Writes the tokens that `change` makes of those that are there, while no other process does; resolves when they are on the disk. Rejects
   * with what `change` throws, with `TokenError` for a file that cannot be understood or is being changed for too long, or with the
   * system's error; then nothing is changed.
   */
  async change(clock: Clock, change: (tokens: readonly StoredToken[]) => readonly StoredToken[]): Promise<void> {
    makeFolder(this.#folder)
    const lock = await this.#lock(clock)
    try {
      // A restore may have been interrupted while this process waited: it would undo the change.
      assertNotRestoring(this.#folder)
      this.#file.write(formatTokens(change(this.read().tokens)))
    } finally {
      lock.release()
    }
  }

  #parse(text: string): readonly StoredToken[] {
    try {
      return parseTokens(text)
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      throw new TokenError(`${this.path}, ${error.message}: mend the file, or put back a backup`, { cause: error })
    }
  }

  async #lock(clock: Clock): Promise<FileLock> {
    const deadline = clock.now() + LOCK_WAIT_MS
    for (;;) {
      const attempt = tryLock(`${this.path}.lock`)
      if ('lock' in attempt) return attempt.lock
      if (clock.now() >= deadline) {
        throw new TokenError(`${this.path} is being changed by process ${attempt.holder}: wait for it, or end it`)
      }
      await clock.sleep(LOCK_POLL_MS)
    }
  }
}

/** Whether nothing was written in between. */
export function isSameVersion(one: FileVersion | undefined, other: FileVersion | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    one.mtimeNs === other.mtimeNs &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.ctimeNs === other.ctimeNs &&
    one.dev === other.dev
  )
}
