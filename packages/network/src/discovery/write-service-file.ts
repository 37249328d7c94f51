import { accessSync, chmodSync, constants, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { messageOf } from '@slotwire/core'

/** avahi does not read files with this ending. */
const NEXT = '.next'
const READABLE_BY_ALL = 0o644
const MS_PER_SECOND = 1000

/** Why avahi's folder cannot be written, and a remedy; undefined if it can. */
export function whyUnwritable(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const reason = messageOf(error)
    return `${folder} cannot be written (${reason}): let this user write there (setfacl -m u:<user>:rwx ${folder}), or set discovery to own`
  }
}

/**
 * Writes a file for avahi in one step, readable for avahi's user under any umask. Leaves a file with the same text alone: avahi would
 * withdraw the service and announce it again. avahi ignores a change in the same second, so a file replaced within a second gets the date
 * of the next. Throws the system's error.
 */
export function writeServiceFile(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })
  if (before?.isFile() === true && readFileSync(path, 'utf8') === text) return
  const next = path + NEXT
  try {
    writeFileSync(next, text)
    chmodSync(next, READABLE_BY_ALL)
    const second = Math.floor((before?.mtimeMs ?? 0) / MS_PER_SECOND)
    if (Math.floor(statSync(next).mtimeMs / MS_PER_SECOND) <= second) utimesSync(next, second + 1, second + 1)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}
