import type { Writable } from 'node:stream'
import { USAGE_EXIT_CODE } from './usage-error.ts'

/** Exit code of a process that SIGPIPE ended: what other programs return when their reader is gone. */
const UNREAD_EXIT_CODE = 141

interface OutputContext {
  /** Standard error. */
  readonly hint: (text: string) => void
  readonly exit: (code: number) => void
}

/** Standard output of a command. Decides what happens when it cannot be written. */
export class StandardOutput {
  #isServer = false

  constructor(
    private readonly stream: Writable,
    private readonly context: OutputContext,
  ) {
    stream.on('error', (error) => this.#onError(error))
  }

  /** Prints the result of a command. If that fails, the process ends; quietly if the reader is gone. */
  readonly print = (text: string): void => {
    this.stream.write(text)
  }

  /** Prints a server's announcement. If that fails, the server keeps running. */
  readonly announce = (text: string): void => {
    this.#isServer = true
    this.stream.write(text)
  }

  #onError(error: Error): void {
    const { hint: explain, exit } = this.context
    const unread = 'code' in error && error.code === 'EPIPE'
    if (this.#isServer) explain(`slotwire: standard output cannot be written (${error.message}): the service keeps running\n`)
    else if (unread) exit(UNREAD_EXIT_CODE)
    else {
      explain(`slotwire: standard output cannot be written (${error.message}): free some space there\n`)
      exit(USAGE_EXIT_CODE)
    }
  }
}

let hasErrorListener = false

/**
 * Writes on standard error and ignores failures: there is nowhere to report them. Touches the stream only when needed: once used, Node.js
 * makes its pipe non-blocking, and the log writes there too.
 */
export function hint(text: string): void {
  if (!hasErrorListener) process.stderr.on('error', () => undefined)
  hasErrorListener = true
  process.stderr.write(text)
}
