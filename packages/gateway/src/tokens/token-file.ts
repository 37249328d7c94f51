import { type BigIntStats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@slotwire/core'
import { DurableFile, makeFolder } from '@slotwire/storage'
import { assertNotRestoring } from '../backup/restore-stage.ts'
import { OperatorError } from '../operator-error.ts'
import { waitForLock } from '../wait-for-lock.ts'
import { formatTokens, parseTokens, type StoredToken } from './token-document.ts'

/** What differs between two versions of a file. */
export type FileVersion = Pick<BigIntStats, 'ino' | 'size' | 'ctimeNs'>

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

  /** No file holds none. Throws `OperatorError` for one that cannot be understood, or the system's error. */
  read(): readonly StoredToken[] {
    const text = this.#file.read()
    try {
      return text === undefined ? [] : parseTokens(text)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      throw new OperatorError(`${this.path}: ${error.message}; correct the file, or restore a backup`, { cause: error })
    }
  }

  /**
   * Writes the tokens that `change` makes of those that are there, while no other process does; resolves with its result when they are on the
   * disk. Rejects with what `change` throws, with `OperatorError` for a file that cannot be understood or is being changed for too long, or
   * with the system's error; then nothing is changed.
   */
  async change<Result>(
    clock: Clock,
    change: (tokens: readonly StoredToken[]) => { readonly tokens: readonly StoredToken[]; readonly result: Result },
  ): Promise<Result> {
    makeFolder(this.#folder)
    const lock = await waitForLock(`${this.path}.lock`, clock)
    try {
      // A restore may have been interrupted while this process waited: it would undo the change.
      assertNotRestoring(this.#folder)
      const { tokens, result } = change(this.read())
      this.#file.write(formatTokens(tokens))
      return result
    } finally {
      lock.release()
    }
  }
}

/** Whether nothing was written in between. */
export function isSameVersion(one: FileVersion | undefined, other: FileVersion | undefined): boolean {
  return one?.ctimeNs === other?.ctimeNs && one?.ino === other?.ino && one?.size === other?.size
}
