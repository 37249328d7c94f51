import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { codeOf } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import type { BackupFile } from './backup-document.ts'
import { STATE_FILES, STATE_FOLDERS, type StateFile, stateFileOf } from './state-files.ts'

/** Each file has a few thousand bytes at most. */
const MOST_FILE_BYTES = 1_048_576
const ALL_PERMISSIONS = 0o777
/** A service writes rarely and briefly. */
const ATTEMPTS = 100

/**
 * Paths of the state files that exist, in the order of their declaration; identity files only with `identity`. Throws `OperatorError` if a
 * folder is a file or a link.
 */
export function statePaths(folder: string, identity: boolean): readonly string[] {
  const present = ['.', ...STATE_FOLDERS].flatMap((inner) =>
    namesIn(folder, inner).map((name) => (inner === '.' ? name : `${inner}/${name}`)),
  )
  const order = (path: string) => STATE_FILES.findIndex((file) => file === stateFileOf(path))
  const isWanted = (file: StateFile | undefined) => file !== undefined && (identity || !file.identity)
  return present.filter((path) => isWanted(stateFileOf(path))).sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1))
}

/** Refuses a link in place of a folder: it may lead anywhere, and files cannot be moved through it. */
function namesIn(folder: string, inner: string): readonly string[] {
  const path = join(folder, inner)
  const stat = lstatSync(inner === '.' ? `${path}/.` : path, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isDirectory()) throw new OperatorError(`${path} is not a folder: remove the file or link`)
  return readdirSync(path)
}

/** All state files as they were at one moment, even while a service writes. Throws `OperatorError`, or the system's error. */
export function collectState(folder: string, identity: boolean): readonly BackupFile[] {
  let before = readAll(folder, identity)
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const now = readAll(folder, identity)
    // Each file is replaced as a whole: if two readings are equal, all files had this content at one moment.
    if (isDeepStrictEqual(before, now)) return now
    before = now
  }
  throw new OperatorError(`the files in ${folder} change all the time: try again`)
}

function readAll(folder: string, identity: boolean): readonly BackupFile[] {
  return statePaths(folder, identity).flatMap((path) => {
    const file = readStateFile(folder, path)
    if (file === undefined) return []
    const { mode, content } = file
    if (!isUtf8(content)) throw new OperatorError(`${join(folder, path)} is not text in UTF-8: correct the file, or remove it`)
    return [{ path, mode: mode & (stateFileOf(path)?.widestMode ?? 0), text: content.toString() }]
  })
}

/** Reads a state file; undefined if it does not exist. Never follows a link. Throws `OperatorError`, or the system's error. */
export function readStateFile(folder: string, path: string): { readonly mode: number; readonly content: Buffer } | undefined {
  const whole = join(folder, path)
  let file: number
  try {
    file = openSync(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ELOOP') throw new OperatorError(`${whole} is a link: put the file itself there`, { cause: error })
    throw error
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new OperatorError(`${whole} is not a file: remove it`)
    if (stat.size > MOST_FILE_BYTES)
      throw new OperatorError(`${whole} is too large, ${stat.size} bytes: at most ${MOST_FILE_BYTES}`)
    return { mode: stat.mode & ALL_PERMISSIONS, content: readFileSync(file) }
  } finally {
    closeSync(file)
  }
}
