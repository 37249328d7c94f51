import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isoTime, orElse, type WallTime } from '@slotwire/core'
import { DurableFile, makeFolder, syncFolder } from '@slotwire/storage'
import { readAuthority } from '../certificates/authority.ts'
import { readImportedCertificate } from '../certificates/presented-certificate.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { SettingsError } from '../settings/problem.ts'
import { LAST_GOOD_FILE, parseSettingsFile, SETTINGS_FILE } from '../settings/read-settings-file.ts'
import { parseTokens } from '../tokens/token-document.ts'
import type { Backup } from './backup-document.ts'
import {
  type BackupFile,
  checkFiles,
  checkFolders,
  DISCOVERY_FILE,
  discoveryFile,
  discoveryIn,
  type IsTwinMemory,
  readStateFile,
  readStateFiles,
  STATE_FILES,
  STATE_FOLDERS,
  stateFileOf,
} from './state-files.ts'

/** Folder inside the state folder that gets the files to restore, with a marker for each file to remove. */
const NEXT = 'restore.next'
/** Its name when it is complete: from then on the restore can only be completed. */
const DECIDED = 'restore.now'
const REMOVED = '.removed'
/** The number of the last start belongs to the identity: the next start takes one above those of the backup's device. */
const BOOT_FILE = 'boot'
/** The only files that a restore changes. */
const RESTORED_PATHS = [...STATE_FILES.map(({ path }) => path), LAST_GOOD_FILE, BOOT_FILE]

export interface RestoreOptions {
  /** The state folder; a restore needs its lock, and makes it if it does not exist. */
  readonly folder: string
  /** With machine id and authority: at a restore, the device becomes the one of the backup. */
  readonly identity: boolean
  readonly isTwinMemory: IsTwinMemory
}

/** Paths of the files that were put in place, and of those that were removed. */
export interface RestoredFiles {
  readonly files: readonly string[]
  readonly removed: readonly string[]
}

/** Throws `OperatorError` if a restore was interrupted after its decision: the folder holds a mix of old and new files. */
export function assertNotRestoring(folder: string): void {
  if (!existsSync(join(folder, DECIDED))) return
  throw new OperatorError(`a restore into ${folder} was interrupted: start the service, which completes it, or restore again`)
}

/**
 * Restores a backup into a state folder: replaces the files and removes those that the backup does not have. Keeps the identity unless
 * `identity` is set. Checks everything first. A kill at any moment leaves the old state, or one that `completeRestore` completes. Throws
 * `OperatorError`, `SettingsError`, or the system's error.
 */
export function restoreBackup(backup: Backup, { folder, identity, isTwinMemory }: RestoreOptions): RestoredFiles {
  if (identity && !backup.identity)
    throw new OperatorError('the backup holds no identity: it was made without --identity, restore it without')
  const isRestored = (path: string): boolean => identity || (stateFileOf(path)?.isIdentity !== true && path !== BOOT_FILE)
  const saved = backup.files.filter(({ path }) => isRestored(path))
  checkFiles(saved, isTwinMemory)
  checkCertificates(saved)
  makeFolder(folder)
  checkFolders(folder)
  completeRestore(folder)
  const { names } = discoveryIn(saved.find(({ path }) => path === DISCOVERY_FILE)?.text)
  const { others } = discoveryIn(readStateFile(folder, DISCOVERY_FILE)?.text)
  const files = [...saved.filter(({ path }) => path !== DISCOVERY_FILE), ...discoveryFile({ ...names, ...others })]
  const paths = files.map(({ path }) => path)
  const present = RESTORED_PATHS.filter((path) => {
    const stat = lstatSync(join(folder, path), { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) throw new OperatorError(`${join(folder, path)} is a folder: remove it`)
    return stat !== undefined && isRestored(path)
  })
  const removed = present.filter((path) => !paths.includes(path))
  try {
    makeFolder(join(folder, NEXT))
    for (const { path, mode, text } of files) new DurableFile(join(folder, NEXT, flat(path)), { mode }).write(text)
    for (const path of removed) new DurableFile(join(folder, NEXT, flat(path) + REMOVED)).write('')
    for (const inner of STATE_FOLDERS) if (paths.some((path) => path.startsWith(`${inner}/`))) makeFolder(join(folder, inner))
    // After this, no step needs disk space.
    renameSync(join(folder, NEXT), join(folder, DECIDED))
  } finally {
    rmSync(join(folder, NEXT), { recursive: true, force: true })
  }
  syncFolder(folder)
  completeRestore(folder)
  return { files: paths, removed }
}

/** Name of a state file in the folder of the restore, which has no other folder in it. */
const flat = (path: string): string => path.replace('/', '_')

/**
 * Completes a restore that was interrupted after its decision, or discards what was not decided. Returns what it changed, or undefined. The
 * caller must have locked the folder, and must call this before it reads files. Throws `OperatorError`, or the system's error.
 */
export function completeRestore(folder: string): RestoredFiles | undefined {
  rmSync(join(folder, NEXT), { recursive: true, force: true })
  const decided = join(folder, DECIDED)
  const stat = lstatSync(decided, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isDirectory()) throw new OperatorError(`${decided} is not a folder: remove the file or link`)
  checkFolders(folder)
  const files = RESTORED_PATHS.filter((path) => existsSync(join(decided, flat(path))))
  const removed = RESTORED_PATHS.filter((path) => existsSync(join(decided, flat(path) + REMOVED)))
  for (const path of files) renameSync(join(decided, flat(path)), join(folder, path))
  for (const path of removed) rmSync(join(folder, path), { force: true })
  for (const changed of [folder, ...STATE_FOLDERS.map((inner) => join(folder, inner))]) syncFolder(changed)
  rmSync(decided, { recursive: true })
  return { files, removed }
}

/** Reads the certificates as the service will. */
function checkCertificates(saved: readonly BackupFile[]): void {
  const file = (name: string) => {
    const path = `tls/${name}`
    return { path, read: () => saved.find((one) => one.path === path)?.text }
  }
  const wording = (fault: string) => `the certificates in the backup cannot be used (${fault})`
  reworded(() => readAuthority({ authority: file('authority.pem'), authorityKey: file('authority.key') }), wording)
  reworded(() => readImportedCertificate({ imported: file('imported.pem') }), wording)
}

/** Names of tokens that the restore would bring back: in the backup, but not in the state folder. Throws the system's error. */
export function revivedTokens(backup: Backup, folder: string): readonly string[] {
  // A damaged file may be the reason for the restore, and the restore reports a damaged backup.
  const tokensIn = (text = '') => orElse([], () => parseTokens(text))
  const present = tokensIn(readStateFile(folder, 'tokens.json')?.text)
  // Compare secrets, not ids: an id may be the same by chance or by hand.
  const known = new Set(present.map(({ sha256 }) => sha256))
  const saved = tokensIn(backup.files.find(({ path }) => path === 'tokens.json')?.text)
  return saved.flatMap(({ name, sha256 }) => (known.has(sha256) ? [] : [name]))
}

/** A service writes rarely and briefly. */
const ATTEMPTS = 100

export interface BackupOptions extends RestoreOptions {
  /** Version of Slotwire. */
  readonly slotwire: string
  readonly wallTime: WallTime
}

/**
 * Makes a backup of a device's state, whether its service runs or not. If the settings are broken, the last good ones are saved. Throws
 * `OperatorError` for a state that could not be restored, `SettingsError`, or the system's error.
 */
export function makeBackup({ folder, identity, slotwire, wallTime, isTwinMemory }: BackupOptions): Backup {
  if (!existsSync(folder)) throw new OperatorError(`there is no state folder ${folder}: name it with --state <dir>`)
  assertNotRestoring(folder)
  const files = collectState(folder, identity).flatMap((file) => savedFile(file, folder))
  checkFiles(files, isTwinMemory)
  if (identity && !files.some(({ path }) => path === 'machine-id'))
    throw new OperatorError(`there is no identity in ${folder} yet: the service makes one at its first start`)
  return { made: isoTime(wallTime()), slotwire, identity, files }
}

/** All state files as they were at one moment, even while a service writes. Throws `OperatorError`, or the system's error. */
export function collectState(folder: string, identity: boolean): readonly BackupFile[] {
  let before = readStateFiles(folder, identity)
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const now = readStateFiles(folder, identity)
    // Each file is replaced as a whole: if two readings are equal, all files had this content at one moment.
    if (isDeepStrictEqual(before, now)) return now
    before = now
  }
  throw new OperatorError(`the files in ${folder} change all the time: try again`)
}

/** The file as it goes into the backup; empty if it holds nothing to keep. */
function savedFile(file: BackupFile, folder: string): readonly BackupFile[] {
  if (file.path === DISCOVERY_FILE) return discoveryFile(discoveryIn(file.text).names)
  if (file.path !== SETTINGS_FILE) return [file]
  const { problems } = parseSettingsFile(Buffer.from(file.text), SETTINGS_FILE)
  if (problems.length === 0) return [file]
  const lastGood = readStateFile(folder, LAST_GOOD_FILE)
  if (lastGood === undefined) throw new SettingsError(problems)
  return [{ ...file, text: lastGood.text }]
}
