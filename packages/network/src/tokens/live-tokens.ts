import { codeOf, coreErrors, type Log, nextTurn } from '@slotwire/core'
import { UnusableFileError } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'
import { type FileVersion, isSameVersion, type TokenFile } from './token-file.ts'
import { TokenIndex } from './token-index.ts'

const UNREADABLE = 'requests with a token get 503'
const KEPT = 'the tokens read last stay in force'

/**
 * The tokens of the file, read again after another process changed it. While the file is invalid, the last good tokens stay in force; while
 * it has changed and cannot be read, or was never read, no token is accepted; without a file the list is empty. The file is checked once per turn of the event
 * loop, so requests that arrived together share a check.
 */
export class LiveTokens {
  readonly #file: TokenFile
  readonly #log: Log
  #index = new TokenIndex([])
  #version: FileVersion | undefined
  /** The problem with the file, as last logged. */
  #problem: string | undefined
  /** Whether the tokens are not known: a token may have been revoked. */
  #isUnreadable = false
  /** Whether a valid file was read since the start. */
  #wasRead = false
  /** Whether the file was checked in this turn. */
  #isFresh = false

  constructor(file: TokenFile, log: Log) {
    this.#file = file
    this.#log = log
  }

  /** Never throws: a problem with the file is logged once. */
  get index(): TokenIndex {
    this.check()
    return this.#index
  }

  /** Reads the file if it has changed, once in each turn. */
  check(): void {
    if (this.#isFresh) return
    this.#isFresh = true
    void nextTurn().then(() => this.invalidate())
    this.#refresh()
  }

  /** A sentence for operators while the file cannot be read. */
  get warnings(): readonly string[] {
    this.check()
    if (this.#problem === undefined) return []
    return [`tokens: tokens.json cannot be read: ${this.#isUnreadable ? UNREADABLE : KEPT}`]
  }

  /** The tokens to check a request with. Throws `tokens-unreadable` while they are not known. */
  get trusted(): TokenIndex {
    const index = this.index
    if (this.#isUnreadable) throw coreErrors.tokensUnreadable()
    return index
  }

  /** Makes the next access check the file again: this process has changed it. */
  invalidate(): void {
    this.#isFresh = false
  }

  #refresh(): void {
    let found: FileVersion | undefined
    try {
      found = this.#file.version()
      if (isSameVersion(found, this.#version)) {
        this.#isUnreadable = found !== undefined && !this.#wasRead
        return
      }
      // A write between these two calls is read now and again at the next check.
      this.#index = new TokenIndex(this.#file.read())
      this.#version = found
      this.#isUnreadable = false
      this.#wasRead = true
      if (this.#problem !== undefined) this.#log.info({ file: this.#file.path }, 'the tokens can be read again')
      this.#problem = undefined
    } catch (error) {
      // Do not read an invalid file again before it changes. Retry an unreadable one.
      const isInvalid = error instanceof OperatorError
      if (isInvalid) this.#version = found
      this.#isUnreadable = !isInvalid || !this.#wasRead
      this.#logProblem(error)
    }
  }

  #logProblem(error: unknown): void {
    const problem =
      error instanceof OperatorError || error instanceof UnusableFileError
        ? error.message
        : `${this.#file.path} cannot be read (${codeOf(error) ?? String(error)})`
    if (problem === this.#problem) return
    this.#problem = problem
    this.#log.error({ reason: problem }, `the tokens cannot be read: ${this.#isUnreadable ? UNREADABLE : KEPT}`)
  }
}
