import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, isoTime, type Log, type Timer } from '@slotwire/core'
import { DurableFile, makeFolder, type WriteGuard } from '@slotwire/storage'
import { assertNotRestoring } from '../backup/backup.ts'
import { reworded, withFileLock } from '../operator-error.ts'
import { formatTokens, parseTokens, parseUses, type StoredToken } from './token-document.ts'

/** `tokens.json` in the state folder: many processes read it, one at a time changes it. */
export class TokenFile {
  readonly path: string
  readonly #file: DurableFile

  constructor(private readonly folder: string) {
    this.path = join(folder, 'tokens.json')
    this.#file = new DurableFile(this.path)
  }

  /** A text that changes with every version of the file, or of a link which leads nowhere. Undefined if it does not exist. Throws the system's error. */
  version(): string | undefined {
    const options = { bigint: true, throwIfNoEntry: false } as const
    const stats = statSync(this.path, options) ?? lstatSync(this.path, options)
    return stats && `${stats.ino} ${stats.size} ${stats.ctimeNs}`
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
    makeFolder(this.folder)
    return withFileLock(this.path, clock, () => {
      // While this process waited, a restore may have been interrupted: completing it would undo the change.
      assertNotRestoring(this.folder)
      const { tokens, result } = change(this.read())
      this.#file.write(formatTokens(tokens))
      return result
    })
  }
}

/** Delay of the first write, and interval of later ones. */
const FIRST_WRITE_MS = 1_000
const WRITE_EVERY_MS = 60_000

export interface TokenUsesOptions {
  /** The state folder. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Whether a token exists; uses of others are dropped. */
  readonly exists: (id: string) => boolean
  readonly guard?: WriteGuard
}

/** Time of each token's last use: `token-use.json` in the state folder, written only by the process that authenticates. */
export class TokenUses {
  readonly #file: DurableFile
  /** Uses not written yet; milliseconds since 1970. */
  readonly #unsaved = new Map<string, number>()
  #timer: Timer | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #failed = false
  #closed = false

  constructor(private readonly options: TokenUsesOptions) {
    this.#file = new DurableFile(join(options.folder, 'token-use.json'), { guard: options.guard })
  }

  /** Records a use of the token; `now` in milliseconds since 1970. */
  record(id: string, now: number): void {
    this.#unsaved.set(id, now)
    if (this.#timer !== undefined || this.#closed) return
    const { clock } = this.options
    const dueIn = Math.max(FIRST_WRITE_MS, this.#writtenAt + WRITE_EVERY_MS - clock.now())
    this.#timer = clock.after(dueIn, () => this.#write())
  }

  /** Dates of the last uses by token id, in ISO 8601. An unreadable file counts as empty: only lists show these dates. */
  read(): ReadonlyMap<string, string> {
    const uses = new Map(this.#stored())
    for (const [id, at] of this.#unsaved) uses.set(id, isoTime(at))
    return uses
  }

  /** Writes pending uses; later ones are not written. */
  close(): void {
    this.#closed = true
    if (this.#unsaved.size > 0) this.#write()
  }

  #stored(): readonly (readonly [string, string])[] {
    try {
      return parseUses(this.#file.read() ?? '{}')
    } catch (error) {
      this.options.log.warn(
        { err: error, file: this.#file.path },
        'the last uses of tokens cannot be read: recording starts again',
      )
      return []
    }
  }

  #write(): void {
    const { clock, log, exists } = this.options
    this.#timer?.cancel()
    this.#timer = undefined
    this.#writtenAt = clock.now()
    const uses = [...this.read()].filter(([id]) => exists(id)).sort()
    try {
      this.#file.write(`${JSON.stringify(Object.fromEntries(uses), undefined, 2)}\n`)
      this.#unsaved.clear()
      this.#failed = false
    } catch (error) {
      if (!this.#failed) log.warn({ err: error }, 'the last uses of tokens cannot be written')
      this.#failed = true
    }
  }
}
