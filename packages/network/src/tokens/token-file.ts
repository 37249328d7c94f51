import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@slotwire/core'
import { DurableFile, makeFolder } from '@slotwire/storage'
import { assertNotRestoring } from '../backup/restore-stage.ts'
import { reworded } from '../operator-error.ts'
import { waitForLock } from '../wait-for-lock.ts'
import { formatTokens, parseTokens, type StoredToken } from './token-document.ts'

/** Values that change with every version of a file. */
export type FileVersion = Pick<BigIntStats, 'ino' | 'size' | 'ctimeNs'>

/** `tokens.json` in the state folder: many processes read it, one at a time changes it. */
export class TokenFile {
  readonly path: string
  readonly #folder: string
  readonly #file: DurableFile

  constructor(folder: string) {
    this.#folder = folder
    this.path = join(folder, 'tokens.json')
    this.#file = new DurableFile(this.path)
  }

  /** Undefined if the file does not exist; that of a link which leads nowhere. Throws the system's error. */
  version(): FileVersion | undefined {
    const options = { bigint: true, throwIfNoEntry: false } as const
    return statSync(this.path, options) ?? lstatSync(this.path, options)
  }

  /** Returns no tokens if there is no file. Throws `OperatorError` for an invalid file, or the system's error. */
  read(): readonly StoredToken[] {
    const text = this.#file.read()
    if (text === undefined) return []
    return reworded(
      () => parseTokens(text),
      (fault) => `${this.path}: ${fault}; correct the file, or restore a backup`,
    )
  }

  /**
   * Replaces the tokens with those that `change` returns, under a lock. Resolves with its result after the write. Rejects with the error of
   * `change`, with `OperatorError` for an invalid file or a lock held too long, or with the system's error; then nothing is changed.
   */
  async change<Result>(
    clock: Clock,
    change: (tokens: readonly StoredToken[]) => { readonly tokens: readonly StoredToken[]; readonly result: Result },
  ): Promise<Result> {
    makeFolder(this.#folder)
    const lock = await waitForLock(`${this.path}.lock`, clock)
    try {
      // While this process waited, a restore may have been interrupted: completing it would undo the change.
      assertNotRestoring(this.#folder)
      const { tokens, result } = change(this.read())
      this.#file.write(formatTokens(tokens))
      return result
    } finally {
      lock.release()
    }
  }
}

/** Whether the file was not written in between. */
export function isSameVersion(one: FileVersion | undefined, other: FileVersion | undefined): boolean {
  return one?.ctimeNs === other?.ctimeNs && one?.ino === other?.ino && one?.size === other?.size
}
