import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf, messageOf, orElse } from '@slotwire/core'

/** Longest run time of a system program. */
const PROGRAM_DEADLINE_MS = 2000
/** A kernel attribute fits into a page. */
const PAGE_BYTES = 4096

/** Output of a system program. Rejects if it fails or is late. */
export async function outputOf(program: string, ...words: readonly string[]): Promise<string> {
  const options = { timeout: PROGRAM_DEADLINE_MS, killSignal: 'SIGKILL' } as const
  return (await promisify(execFile)(program, words, options)).stdout
}

/** The first page of a file, without waiting for a writer. Throws the system's error. */
export function readPage(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const page = Buffer.alloc(PAGE_BYTES)
    return page.toString('utf8', 0, readSync(file, page))
  } finally {
    closeSync(file)
  }
}

/** Like `readPage`; empty if the file cannot be read. */
export const readPageOrNothing = (path: string): string => orElse('', () => readPage(path))

/** Why a system call failed: its error code, or the message. */
export function reasonOf(error: unknown): string {
  return codeOf(error) ?? messageOf(error)
}
