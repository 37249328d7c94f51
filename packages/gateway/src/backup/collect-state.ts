import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '@slotwire/core'
import type { BackupFile } from './backup-document.ts'
import { BackupError } from './backup-error.ts'
import { STATE_FILES, STATE_FOLDERS, type StateFile, stateFileOf } from './state-files.ts'

/** Each is a few thousand at most. */
const MOST_FILE_BYTES = 1_048_576
const ALL_PERMISSIONS = 0o777
/** A service writes rarely, and never for long. */
const ATTEMPTS = 100

/** State files that are there: paths, in the order of their declaration. Throws `BackupError` where a folder is none. */
export function statePaths(folder: string): readonly string[] {
  const present = ['.', ...STATE_FOLDERS].flatMap((inner) =>
    namesIn(folder, inner).map((name) => (inner === '.' ? name : `${inner}/${name}`)),
  )
  const order = (path: string) => STATE_FILES.findIndex((file) => file === stateFileOf(path))
  return present.filter((path) => stateFileOf(path) !== undefined).sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1))
}

/** A folder that is a link may lead anywhere, and files cannot be moved through it: it is refused. */
function namesIn(folder: string, inner: string): readonly string[] {
  const path = join(folder, inner)
  const stat = lstatSync(inner === '.' ? `${path}/.` : path, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isDirectory()) throw new BackupError(`${path} is no folder: a link must not stand there, remove it`)
  return readdirSync(path)
}

/**
 * The state files that `wanted` lets pass, as one moment had them, also while a service writes them. Throws `BackupError`, or the system's
 * error.
 */
export function collectState(folder: string, wanted: (file: StateFile) => boolean): readonly BackupFile[] {
  let before = readAll(folder, wanted)
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const now = readAll(folder, wanted)
    // Each file is replaced as a whole: if nothing differs, there was a moment at which all of them were so.
    if (isSame(before, now)) return now
    before = now
  }
  throw new BackupError(`the files in ${folder} change all the time: try again`)
}

function readAll(folder: string, wanted: (file: StateFile) => boolean): readonly BackupFile[] {
  return statePaths(folder).flatMap((path) => {
    const declared = stateFileOf(path)
    const file = declared === undefined || !wanted(declared) ? undefined : readStateFile(folder, path)
    return file === undefined || declared === undefined ? [] : [{ ...file, path, mode: file.mode & declared.widestMode }]
  })
}

/** A state file; undefined: it is not there. Never follows a link. Throws `BackupError`, or the system's error. */
export function readStateFile(folder: string, path: string): Pick<BackupFile, 'mode' | 'content'> | undefined {
  const whole = join(folder, path)
  let file: number
  try {
    file = openSync(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ELOOP') throw new BackupError(`${whole} is a link: put the file itself there`, { cause: error })
    throw error
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new BackupError(`${whole} is no file: remove it`)
    if (stat.size > MOST_FILE_BYTES)
      throw new BackupError(`${whole} is too large, ${stat.size} bytes: at most ${MOST_FILE_BYTES}`)
    return { mode: stat.mode & ALL_PERMISSIONS, content: readFileSync(file) }
  } finally {
    closeSync(file)
  }
}

function isSame(some: readonly BackupFile[], others: readonly BackupFile[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ path, mode, content }, index) => {
      const other = others[index]
      return other?.path === path && other.mode === mode && Buffer.from(other.content).equals(content)
    })
  )
}
