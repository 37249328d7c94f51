import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { codeOf } from '@slotwire/core'

/** Longest run of a program of the system. */
const PROGRAM_DEADLINE_MS = 2000
/** An attribute of the kernel fits into a page. */
const PAGE_BYTES = 4096

/** What a program of the system prints. Rejects if it fails or is late. */
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

/** The same; empty if it cannot be read. */
export const readPageOrNothing = (path: string): string => orElse('', () => readPage(path))

/** What a system call returns, or something else if it fails. */
export function orElse<Result>(otherwise: Result, call: () => Result): Result {
  try {
    return call()
  } catch {
    return otherwise
  }
}

/** Why a system call failed, in a word. */
export function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error))
}

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w./@:+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
