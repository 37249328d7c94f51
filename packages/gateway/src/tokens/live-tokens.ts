import { codeOf, coreErrors, type Log, nextTurn } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import { type FileVersion, isSameVersion, type TokenFile } from './token-file.ts'
import { TokenIndex } from './token-index.ts'

/**
 * The tokens as the file has them now: it is looked at each time, and read when another process has changed it. While it cannot be
 * understood, the last good ones stay in force; while it has changed and cannot be read, no token is accepted; without a file there are none. What has arrived together, in one turn of the process, shares one
 * look: that came after all of it.
 */
export class LiveTokens {
  readonly #file: TokenFile
  readonly #log: Log
  #index = new TokenIndex([])
  #version: FileVersion | undefined
  /** What is wrong with the file, as the log has been told. */
  #problem: string | undefined
  /** Whether the file has changed and cannot be read: a token may have been revoked. */
  #isUnreadable = false
  /** Whether the file was looked at in this turn. */
  #isFresh = false

  constructor(file: TokenFile, log: Log) {
    this.#file = file
    this.#log = log
  }

  /** Throws nothing: what is wrong with the file is in the log, once. */
  get index(): TokenIndex {
    if (!this.#isFresh) {
      this.#isFresh = true
      void nextTurn().then(() => this.expire())
      this.#look()
    }
    return this.#index
  }

  /** The tokens to judge a request by. Throws `tokens-unreadable` while the file has changed and cannot be read. */
  get trusted(): TokenIndex {
    const index = this.index
    if (this.#isUnreadable) throw coreErrors.tokensUnreadable()
    return index
  }

  /** The file is looked at again, in this turn too: this process has changed it. */
  expire(): void {
    this.#isFresh = false
  }

  #look(): void {
    let found: FileVersion | undefined
    try {
      found = this.#file.version()
      if (isSameVersion(found, this.#version)) {
        this.#isUnreadable = false
        return
      }
      // What is written between these two is read now, and once more at the next look.
      this.#index = new TokenIndex(this.#file.read())
      this.#version = found
      this.#isUnreadable = false
      if (this.#problem !== undefined) this.#log.info({ file: this.#file.path }, 'the tokens can be read again')
      this.#problem = undefined
    } catch (error) {
      // What was understood wrong is not read again before it is changed; what could not be read is.
      this.#isUnreadable = !(error instanceof OperatorError)
      if (!this.#isUnreadable) this.#version = found
      this.#complain(error)
    }
  }

  #complain(error: unknown): void {
    const problem =
      error instanceof OperatorError ? error.message : `${this.#file.path} cannot be read (${codeOf(error) ?? String(error)})`
    if (problem === this.#problem) return
    this.#problem = problem
    const consequence = this.#isUnreadable
      ? 'the tokens cannot be read: requests with a token get 503'
      : 'the tokens cannot be read: those that were read last stay in force'
    this.#log.error({ reason: problem }, consequence)
  }
}
