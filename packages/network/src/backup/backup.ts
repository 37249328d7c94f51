import { existsSync, lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isoTime, isRecord, orElse, type WallTime } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import { readAuthority, readImportedCertificate } from '../certificates/stored-certificates.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { SettingsError } from '../settings/setting.ts'
import { LAST_GOOD_FILE, parseSettingsFile, SETTINGS_FILE } from '../settings/settings-file.ts'
import { shortHostName } from '../settings/value-types.ts'
import { parseTokens } from '../tokens/token-document.ts'
import { type Backup, formatBackup, hasIdentity, parseBackup } from './backup-document.ts'
import * as state from './state-files.ts'

/** The backup that is being restored. From when it is complete until it is removed, the restore can only be completed. */
const JOURNAL = 'restore.json'
const BOOT_FILE = 'boot'
/** All files that a restore writes or removes, and their permissions. */
const RESTORED = new Map([...state.STATE_FILES, [LAST_GOOD_FILE, {}] as const, [BOOT_FILE, {}] as const])

/** The number of the last start belongs to the identity: the next start takes one above those of the backup's device. */
const isIdentity = (path: string): boolean => path === BOOT_FILE || state.STATE_FILES.get(path)?.isIdentity === true

export interface RestoreOptions {
  /** The state folder; a restore needs its lock, and makes it if it does not exist. */
  readonly folder: string
  /** With machine id and authority: at a restore, the device becomes the one of the backup. */
  readonly identity: boolean
  readonly isTwinMemory: state.IsTwinMemory
}

/** Paths of the files that were put in place, and of those that were removed. */
export type RestoredFiles = Readonly<Record<'files' | 'removed', readonly string[]>>

/** Throws `OperatorError` if a restore was interrupted after its decision: the folder may hold a mix of old and new files. */
export function assertNotRestoring(folder: string): void {
  if (!existsSync(join(folder, JOURNAL))) return
  throw new OperatorError(`a restore into ${folder} was interrupted: start the service, which completes it, or restore again`)
}

/**
 * Restores a backup into a state folder: replaces the files and removes those that the backup does not have. Keeps the identity unless
 * `identity` is set. Checks everything first. Also returns the names of tokens that are valid again. A kill at any moment leaves the old state, or one that `completeRestore` completes. Throws
 * `OperatorError`, `SettingsError`, or the system's error.
 */
export function restoreBackup(backup: Backup, { folder, identity, isTwinMemory }: RestoreOptions) {
  if (identity && !hasIdentity(backup))
    throw new OperatorError('the backup holds no identity: it was made without --identity, restore it without')
  const wanted = Object.entries(backup.files).filter(([path]) => identity || !isIdentity(path))
  const saved: state.StateTexts = Object.fromEntries(wanted)
  state.checkFiles(saved, isTwinMemory)
  checkCertificates(saved)
  for (const path of [...RESTORED.keys()].map((name) => join(folder, name))) {
    state.checkFolder(folder, path)
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new OperatorError(`${path} is a folder: remove it`)
  }
  const { names } = discoveryIn(saved[state.DISCOVERY_FILE])
  const { others } = discoveryIn(state.readStateFiles(folder, [state.DISCOVERY_FILE])[state.DISCOVERY_FILE])
  const files = withDiscovery(saved, { ...names, ...others })
  const revived = revivedTokens(saved, folder)
  stateFile(folder, JOURNAL).write(formatBackup({ ...backup, files }, 0))
  return { ...apply({ ...backup, files }, folder), revived }
}

/**
 * Completes a restore that was interrupted after its decision, or discards what was not decided. Returns what it changed, or undefined. The
 * caller must have locked the folder, and must call this before it reads files. Throws `OperatorError`, or the system's error.
 */
export function completeRestore(folder: string): RestoredFiles | undefined {
  const text = stateFile(folder, JOURNAL).read()
  const wording = (fault: string): string => `${join(folder, JOURNAL)} is damaged: restore again (${fault})`
  if (text !== undefined)
    return apply(
      reworded(() => parseBackup(text), wording),
      folder,
    )
  rmSync(join(folder, `${JOURNAL}.next`), { force: true })
  return undefined
}

/** Puts the files of a restore in place, and removes the others. It can be repeated. */
function apply(backup: Backup, folder: string): RestoredFiles {
  const removed: string[] = []
  for (const [path, { mode }] of RESTORED) {
    if (isIdentity(path) && !hasIdentity(backup)) continue
    state.checkFolder(folder, join(folder, path))
    const isPresent = existsSync(join(folder, path))
    const file = stateFile(folder, path, mode)
    const text = backup.files[path]
    if (text !== undefined) file.write(text)
    else if (isPresent) removed.push(path)
    if (text === undefined) file.remove()
  }
  stateFile(folder, JOURNAL).remove()
  return { files: Object.keys(backup.files), removed }
}

/** A file in the state folder. A link in its place is removed, never followed. */
function stateFile(folder: string, path: string, mode?: number): DurableFile {
  const whole = join(folder, path)
  if (lstatSync(whole, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(whole)
  return new DurableFile(whole, mode === undefined ? {} : { mode })
}

/** Reads the certificates as the service will. */
function checkCertificates(files: state.StateTexts): void {
  const file = (name: string) => ({ path: `tls/${name}`, read: () => files[`tls/${name}`] })
  const read = (): void => {
    readAuthority({ authority: file('authority.pem'), authorityKey: file('authority.key') })
    readImportedCertificate({ imported: file('imported.pem') })
  }
  reworded(read, (fault) => `the certificates in the backup cannot be used (${fault})`)
}

/**
 * The host names in `discovery.json`, if valid, and its other values. Those concern this machine: avahi's files, which are removed one day,
 * must never come from a backup.
 */
function discoveryIn(text = '') {
  const value = orElse<unknown>(undefined, () => JSON.parse(text))
  const { preferredName, hostName, ...others } = isRecord(value) ? value : {}
  const isValid = [preferredName, hostName].every(
    (name) => typeof name === 'string' && orElse(false, () => shortHostName.read(name, 'name') === name),
  )
  return { names: isValid ? { preferredName, hostName } : {}, others }
}

/** The files with a `discovery.json` that holds these values; without values, with none. */
function withDiscovery({ [state.DISCOVERY_FILE]: _, ...files }: state.StateTexts, values: object): state.StateTexts {
  const text = `${JSON.stringify(values, undefined, 2)}\n`
  return Object.keys(values).length === 0 ? files : { ...files, [state.DISCOVERY_FILE]: text }
}

/** Names of tokens that a restore brings back: in the backup, but not in the state folder. Throws the system's error. */
function revivedTokens(saved: state.StateTexts, folder: string): readonly string[] {
  // A damaged file may be the reason for the restore.
  const tokensIn = ({ 'tokens.json': text = '' }: state.StateTexts) => orElse([], () => parseTokens(text))
  // Compare secrets, not ids: an id may be the same by chance or by hand.
  const known = new Set(tokensIn(state.readStateFiles(folder, ['tokens.json'])).map(({ sha256 }) => sha256))
  return tokensIn(saved).flatMap(({ name, sha256 }) => (known.has(sha256) ? [] : [name]))
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
  const present = collectState(folder, identity)
  const { problems } = parseSettingsFile(Buffer.from(present[SETTINGS_FILE] ?? ''), SETTINGS_FILE)
  const { [LAST_GOOD_FILE]: lastGood } = problems.length === 0 ? {} : state.readStateFiles(folder, [LAST_GOOD_FILE])
  if (problems.length > 0 && lastGood === undefined) throw new SettingsError(problems)
  const settings = lastGood === undefined ? {} : { [SETTINGS_FILE]: lastGood }
  const files = withDiscovery({ ...present, ...settings }, discoveryIn(present[state.DISCOVERY_FILE]).names)
  state.checkFiles(files, isTwinMemory)
  if (identity && files['machine-id'] === undefined)
    throw new OperatorError(`there is no identity in ${folder} yet: the service makes one at its first start`)
  return { made: isoTime(wallTime()), slotwire, files }
}

/** All state files as they were at one moment, even while a service writes. Throws `OperatorError`, or the system's error. */
export function collectState(folder: string, identity: boolean): state.StateTexts {
  const paths = [...state.STATE_FILES.keys()].filter((path) => identity || !isIdentity(path))
  let before = state.readStateFiles(folder, paths)
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const now = state.readStateFiles(folder, paths)
    // Each file is replaced as a whole: if two readings are equal, all files had this content at one moment.
    if (isDeepStrictEqual(before, now)) return now
    before = now
  }
  throw new OperatorError(`the files in ${folder} change all the time: try again`)
}
