import type { Writable } from 'node:stream'
import { codeOf } from '@slotwire/core'
import { USAGE_EXIT_CODE } from './usage-error.ts'

/** Exit code of a process that SIGPIPE ended: what other programs return when their reader is gone. */
const UNREAD_EXIT_CODE = 141

/** Standard output of a command, and what happens when it cannot be written. */
export function standardOutput(stream: Writable, exit: (code: number) => void) {
  let isServer = false
  stream.on('error', (error) => {
    const problem = `slotwire: standard output cannot be written (${error.message})`
    if (isServer) return hint(`${problem}: the service keeps running\n`)
    if (codeOf(error) === 'EPIPE') return exit(UNREAD_EXIT_CODE)
    hint(`${problem}: free some space there\n`)
    exit(USAGE_EXIT_CODE)
  })
  return {
    /** Prints the result of a command. If that fails, the process ends; quietly if the reader is gone. */
    print: (text: string): void => {
      stream.write(text)
    },
    /** Prints a server's announcement. If that fails, the server keeps running. */
    announce: (text: string): void => {
      isServer = true
      stream.write(text)
    },
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

/** Asks a user yes or no on a terminal. Ctrl-C, Ctrl-D, a terminal that closes and a stop signal are no. */
export async function ask(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  stopped: () => Promise<unknown>,
): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output })
  const end = new AbortController()
  void stopped().then(() => end.abort())
  try {
    return /^y(es)?$/i.test((await lines.question(question, { signal: end.signal })).trim())
  } catch {
    output.write('\n')
    return false
  } finally {
    lines.close()
  }
}
