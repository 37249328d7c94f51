import type { Writable } from 'node:stream'
import { USAGE_EXIT_CODE } from './usage-error.ts'

/** As of a process that SIGPIPE ended, which is how other programs take it that nobody reads them. */
const UNREAD_EXIT_CODE = 141

interface OutputContext {
  /** Standard error. */
  readonly hint: (text: string) => void
  readonly exit: (code: number) => void
}

/** Standard output of a command, and what becomes of the command when it cannot be written any more. */
export class StandardOutput {
  readonly #stream: Writable
  readonly #surroundings: OutputContext
  #goesOn = false

  constructor(stream: Writable, surroundings: OutputContext) {
    this.#stream = stream
    this.#surroundings = surroundings
    stream.on('error', (error) => this.#onError(error))
  }

  /** Prints what the command is there for: without it the process ends, quietly where nobody reads any more. */
  readonly print = (text: string): void => {
    this.#stream.write(text)
  }

  /** Prints what a server says of itself: it goes on without. */
  readonly announce = (text: string): void => {
    this.#goesOn = true
    this.#stream.write(text)
  }

  #onError(error: Error): void {
    const { hint, exit } = this.#surroundings
    const unread = 'code' in error && error.code === 'EPIPE'
    if (this.#goesOn) hint(`slotwire: standard output cannot be written (${error.message}): it serves all the same\n`)
    else if (unread) exit(UNREAD_EXIT_CODE)
    else {
      hint(`slotwire: standard output cannot be written (${error.message}): make room there\n`)
      exit(USAGE_EXIT_CODE)
    }
  }
}
