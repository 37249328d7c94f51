import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { codeOf } from '@slotwire/core'

/** What an attribute of the kernel can hold: a page. */
const PAGE_BYTES = 4096
/** Lists of the kernel, of its sockets for one, are longer; of more than that the rest is left. */
const MOST_BYTES = 1_048_576

/** The beginning of a regular file, one page of it unless told otherwise. Never waits for a writer. Rejects with the system's error. */
export async function readText(path: string, mostBytes = PAGE_BYTES): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const parts: Buffer[] = []
    for (let left = mostBytes; left > 0; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, PAGE_BYTES)))
      if (bytesRead === 0) break
      parts.push(buffer.subarray(0, bytesRead))
      left -= bytesRead
    }
    return Buffer.concat(parts).toString('utf8')
  } finally {
    await file.close()
  }
}

/** The lines of a list of the kernel; none where there is no such file, or this user may not read it. */
export async function linesOf(path: string): Promise<readonly string[]> {
  try {
    return (await readText(path, MOST_BYTES)).split('\n')
  } catch {
    return []
  }
}

/** Names in a folder, sorted; undefined: there is no such folder. Rejects with the system's error. */
export async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Whether something has this name, be it a link to nowhere. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

/** Why a system call failed, in a word. */
export function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error))
}

/** A path as a shell takes it. */
export function shellWord(path: string): string {
  return /^[\w./@:+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
