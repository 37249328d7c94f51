import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, isRecord, orElse } from '@slotwire/core'
import { isMachineId } from '../machine-id.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { SettingsError } from '../settings/problem.ts'
import { parseSettingsFile, SETTINGS_FILE } from '../settings/read-settings-file.ts'
import { hostLabel } from '../settings/value-types.ts'
import { parseTokens, parseUses } from '../tokens/token-document.ts'

/** A file in a backup. */
export interface BackupFile {
  /** In the state folder, with `/`. */
  readonly path: string
  /** Permissions, as of `chmod`. */
  readonly mode: number
  readonly text: string
}

/** A file of the state folder that a backup can hold. */
export interface StateFile {
  /** Path in the state folder, with `/`. */
  readonly path: string
  /** Part of the device's identity: saved only with `--identity`. */
  readonly isIdentity?: boolean
  /** All users may read it; others only its owner. */
  readonly isPublic?: boolean
  /** Reads the text as the service does. Throws `OperatorError` or `SettingsError`. */
  readonly read?: (text: string, isTwinMemory: IsTwinMemory) => unknown
}

/** Whether the virtual module in a slot can have saved this document. */
export type IsTwinMemory = (slot: number, document: Readonly<Record<string, unknown>>) => boolean

/** Each file has a few thousand bytes at most. */
const MOST_FILE_BYTES = 1_048_576
export const DISCOVERY_FILE = 'discovery.json'
/** Folders with state files, besides the state folder itself. */
export const STATE_FOLDERS: readonly string[] = ['twin', 'tls']

/** All files that a backup can hold. Others are neither saved nor touched by a restore, which reads the certificates together. */
export const STATE_FILES: readonly StateFile[] = [
  { path: SETTINGS_FILE, isPublic: true, read: readSettings },
  { path: 'tokens.json', read: parseTokens },
  { path: 'token-use.json', read: parseUses },
  { path: DISCOVERY_FILE },
  ...[0, 1, 2, 3, 4, 5, 6, 7].map(twinMemory),
  { path: 'tls/imported.pem' },
  { path: 'machine-id', isIdentity: true, isPublic: true, read: readMachineId },
  { path: 'tls/authority.key', isIdentity: true },
  { path: 'tls/authority.pem', isIdentity: true, isPublic: true },
  { path: 'tls/server.pem', isIdentity: true },
]

function twinMemory(slot: number): StateFile {
  const read = (text: string, isTwinMemory: IsTwinMemory): void => {
    const document = orElse<unknown>(undefined, () => JSON.parse(text))
    if (isRecord(document) && isTwinMemory(slot, document)) return
    throw new OperatorError(`it holds nothing that the virtual module in slot ${slot} saves`)
  }
  return { path: `twin/slot-${slot}.json`, read }
}

function readSettings(text: string): void {
  const { problems } = parseSettingsFile(Buffer.from(text), SETTINGS_FILE)
  if (problems.length > 0) throw new SettingsError(problems)
}

function readMachineId(text: string): void {
  if (!isMachineId(text)) throw new OperatorError('it must have 32 digits 0-9 and a-f')
}

/** The declaration of the file at a path; undefined if it is not a state file. */
export function stateFileOf(path: string): StateFile | undefined {
  return STATE_FILES.find((file) => file.path === path)
}

/** The widest permissions that a state file may get. */
export const widestModeOf = ({ isPublic }: StateFile): number => (isPublic === true ? 0o644 : 0o600)

/** Throws `SettingsError` or `OperatorError` for files that a service could not start with. */
export function checkFiles(files: readonly BackupFile[], isTwinMemory: IsTwinMemory): void {
  for (const { path, text } of files) {
    const read = (): unknown => stateFileOf(path)?.read?.(text, isTwinMemory)
    reworded(read, (fault) => `${path} is damaged, ${fault}`)
  }
}

/**
 * The host names in `discovery.json`, if valid, and its other values. Those concern this machine: avahi's files, which are removed one day,
 * must never come from a backup.
 */
export function discoveryIn(text: string | undefined) {
  const value = orElse<unknown>(undefined, () => JSON.parse(text ?? ''))
  const { wish, hostName, ...others } = isRecord(value) ? value : {}
  const isValid = [wish, hostName].every(
    (name) => typeof name === 'string' && orElse(false, () => hostLabel.read(name, 'name') === name),
  )
  return { names: isValid ? { wish, hostName } : {}, others }
}

/** The text of a `discovery.json` with these values, as a file to save; empty without values. */
export function discoveryFile(values: object): readonly BackupFile[] {
  const text = `${JSON.stringify(values, undefined, 2)}\n`
  return Object.keys(values).length === 0 ? [] : [{ path: DISCOVERY_FILE, mode: 0o600, text }]
}

/**
 * Refuses a link in place of a folder with state files: it may lead anywhere, and files cannot be moved through it. Throws `OperatorError`.
 */
export function checkFolders(folder: string): void {
  for (const path of STATE_FOLDERS.map((inner) => join(folder, inner))) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new OperatorError(`${path} is not a folder: remove the file or link`)
  }
}

/** All state files that exist; identity files only with `identity`. Never follows a link. Throws `OperatorError`, or the system's error. */
export function readStateFiles(folder: string, identity: boolean): readonly BackupFile[] {
  checkFolders(folder)
  return STATE_FILES.filter(({ isIdentity }) => identity || isIdentity !== true).flatMap((file) => {
    const read = readStateFile(folder, file.path)
    return read === undefined ? [] : [{ ...read, mode: read.mode & widestModeOf(file) }]
  })
}

/** Reads a state file; undefined if it does not exist. Never follows a link. Throws `OperatorError`, or the system's error. */
export function readStateFile(folder: string, path: string): BackupFile | undefined {
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
    const content = readFileSync(file)
    if (!isUtf8(content)) throw new OperatorError(`${whole} is not text in UTF-8: correct the file, or remove it`)
    return { path, mode: stat.mode, text: content.toString() }
  } finally {
    closeSync(file)
  }
}
