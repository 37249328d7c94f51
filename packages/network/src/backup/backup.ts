import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { constants, existsSync, lstatSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { formatVersion, fromIsoTime, isoTime, isRecord, orElse, quoted, SLOTWIRE_VERSION, type WallTime } from '@slotwire/core'
import { DurableFile, readBytes } from '@slotwire/storage'
import { readAuthority, readImportedCertificate } from '../certificates/stored-certificates.ts'
import { rememberedOf } from '../discovery/discovery-memory.ts'
import { checkMachineId } from '../machine-id.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { SettingsError } from '../settings/setting.ts'
import { LAST_GOOD_FILE, parseSettingsFile, SETTINGS_FILE, SETTINGS_MODE } from '../settings/settings-file.ts'
import { parseTokens, parseUses } from '../tokens/token-document.ts'

/** Texts of state files by their paths in the state folder, with `/`. */
export type StateTexts = Readonly<Record<string, string>>

/** The state of a device at one moment: the date (ISO 8601), the version of Slotwire that made it, and the files. */
export type Backup = Readonly<ReturnType<typeof backupIn>>

export interface StateOptions {
  /** The state folder; a restore needs its lock, and makes it if it does not exist. */
  readonly folder: string
  /** With machine id and authority: at a restore, the device becomes the one of the backup. */
  readonly identity: boolean
  /** Whether the virtual module in a slot can have saved this document. */
  readonly isTwinMemory: (slot: number, document: Readonly<Record<string, unknown>>) => boolean
}

interface StateFile {
  /** Part of the device's identity: saved only with `--identity`. */
  readonly isIdentity?: boolean
  /** Permissions; default: only its owner reads it. */
  readonly mode?: number
  /** Reads the text as the service does. Throws `OperatorError` or `SettingsError`. */
  readonly read?: (text: string, isTwinMemory: StateOptions['isTwinMemory']) => unknown
}

const FORMAT = 'slotwire-backup'
const VERSION = 1
/** Each file has a few thousand bytes at most. */
const MAX_FILE_BYTES = 1_048_576
/** A service writes rarely and briefly. */
const ATTEMPTS = 100
/** The backup that is being restored. From when it is complete until it is removed, the restore can only be completed. */
const JOURNAL = 'restore.json'
const DISCOVERY_FILE = 'discovery.json'

const memoryReader =
  (slot: number): NonNullable<StateFile['read']> =>
  (text, isTwinMemory) => {
    const document = orElse<unknown>(undefined, () => JSON.parse(text))
    if (isRecord(document) && isTwinMemory(slot, document)) return
    throw new OperatorError(`it holds nothing that the virtual module in slot ${slot} saves`)
  }

/** All files that a backup can hold, by path. Others are neither saved nor touched by a restore, which reads the certificates together. */
export const STATE_FILES: ReadonlyMap<string, StateFile> = new Map<string, StateFile>([
  [SETTINGS_FILE, { mode: SETTINGS_MODE, read: readSettings }],
  ['tokens.json', { read: parseTokens }],
  ['token-use.json', { read: parseUses }],
  [DISCOVERY_FILE, {}],
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((slot) => [`twin/slot-${slot}.json`, { read: memoryReader(slot) }] as const),
  ['tls/imported.pem', {}],
  ['machine-id', { isIdentity: true, mode: 0o644, read: checkMachineId }],
  ['tls/authority.key', { isIdentity: true }],
  ['tls/authority.pem', { isIdentity: true, mode: 0o644 }],
  ['tls/server.pem', { isIdentity: true }],
])

/**
 * All files that a restore writes or removes. The number of the last start belongs to the identity: the next start takes one above those of
 * the backup's device.
 */
const RESTORED = new Map<string, StateFile>([...STATE_FILES, [LAST_GOOD_FILE, {}], ['boot', { isIdentity: true }]])

function readSettings(text: string): void {
  const { problems } = parseSettingsFile(Buffer.from(text), SETTINGS_FILE)
  if (problems.length > 0) throw new SettingsError(problems)
}

/** Whether a backup holds the device's identity: machine id and authority. */
export const hasIdentity = ({ files }: Backup): boolean => Object.keys(files).some((path) => STATE_FILES.get(path)?.isIdentity)

/** The backup as one JSON document with a checksum. Files are stored as lines, so that people can read and compare them. */
export const formatBackup = (backup: Backup, indent = 2): string => `${JSON.stringify(documentOf(backup), undefined, indent)}\n`

function documentOf({ made, slotwire, files }: Backup) {
  const lines = Object.entries(files).map(([path, text]) => [path, text.split('\n')] as const)
  const document = { format: FORMAT, version: VERSION, made, slotwire, files: Object.fromEntries(lines) }
  return { ...document, sha256: createHash('sha256').update(JSON.stringify(document)).digest('hex') }
}

/** Reads and checks a backup from an untrusted source. Throws `OperatorError`. */
export function parseBackup(text: string): Backup {
  const document = orElse<unknown>(undefined, () => JSON.parse(text))
  if (document === undefined) throw new OperatorError('this is not a Slotwire backup, or only a part of one: it is not JSON')
  if (!isRecord(document) || document['format'] !== FORMAT) throw new OperatorError('this is not a Slotwire backup')
  const version = document['version']
  const other = `the backup has version ${quoted(JSON.stringify(version) ?? 'none')}, and ${VERSION} is understood`
  if (version !== VERSION) throw new OperatorError(`${other}: use the Slotwire that made it, or a newer one`)
  const backup = orElse(undefined, () => backupIn(document))
  // Whatever else the document has, this version would not have written it.
  if (backup === undefined || JSON.stringify(documentOf(backup)) !== JSON.stringify(document))
    throw new OperatorError('the backup is damaged: its checksum does not match. Use another copy of it')
  // A checksum detects accidents, not attacks.
  const foreign = Object.keys(backup.files).find((path) => !STATE_FILES.has(path))
  if (foreign === undefined) return backup
  throw new OperatorError(`the backup holds ${quoted(foreign)}, which is not a state file: do not use it`)
}

/** May throw for a document of another form, or misread it. */
function backupIn({ made, slotwire, files }: Readonly<Record<string, unknown>>) {
  const lines = Object.entries(files as Readonly<Record<string, readonly unknown[]>>)
  const texts: StateTexts = Object.fromEntries(lines.map(([path, each]) => [path, each.join('\n')]))
  return { made: isoTime(fromIsoTime(String(made))), slotwire: String(slotwire), files: texts }
}

/**
 * Makes a backup of a device's state, whether its service runs or not. If the settings are broken, the last good ones are saved. Throws
 * `OperatorError` for a state that could not be restored, `SettingsError`, or the system's error.
 */
export function makeBackup({ folder, identity, wallTime, isTwinMemory }: StateOptions & { readonly wallTime: WallTime }): Backup {
  if (!existsSync(folder)) throw new OperatorError(`there is no state folder ${folder}: name it with --state <dir>`)
  assertNotRestoring(folder)
  const present = collectState(folder, identity)
  const { problems } = parseSettingsFile(Buffer.from(present[SETTINGS_FILE] ?? ''), SETTINGS_FILE)
  const { [LAST_GOOD_FILE]: lastGood } = problems.length === 0 ? {} : readStateFiles(folder, [LAST_GOOD_FILE])
  const files = withServiceFiles(lastGood === undefined ? present : { ...present, [SETTINGS_FILE]: lastGood }, undefined)
  checkFiles(files, isTwinMemory)
  if (identity && files['machine-id'] === undefined)
    throw new OperatorError(`there is no identity in ${folder} yet: the service makes one at its first start`)
  return { made: isoTime(wallTime()), slotwire: formatVersion(SLOTWIRE_VERSION), files }
}

/** All state files as they were at one moment, even while a service writes. Throws `OperatorError`, or the system's error. */
export function collectState(folder: string, identity: boolean): StateTexts {
  const paths = [...STATE_FILES].flatMap(([path, { isIdentity = false }]) => (isIdentity && !identity ? [] : [path]))
  for (let attempt = 1, before = readStateFiles(folder, paths); attempt < ATTEMPTS; attempt++) {
    const now = readStateFiles(folder, paths)
    // Each file is replaced as a whole: if two readings are equal, all files had this content at one moment.
    if (isDeepStrictEqual(before, now)) return now
    before = now
  }
  throw new OperatorError(`the files in ${folder} change all the time: try again`)
}

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
export function restoreBackup(backup: Backup, { folder, identity, isTwinMemory }: StateOptions) {
  if (identity && !hasIdentity(backup))
    throw new OperatorError('the backup holds no identity: it was made without --identity, restore it without')
  const kept = Object.entries(backup.files).filter(([path]) => identity || STATE_FILES.get(path)?.isIdentity !== true)
  const saved: StateTexts = Object.fromEntries(kept)
  checkFiles(saved, isTwinMemory)
  checkCertificates(saved)
  for (const path of RESTORED.keys())
    if (placeOf(folder, path)?.isDirectory() === true) throw new OperatorError(`${join(folder, path)} is a folder: remove it`)
  const files = withServiceFiles(saved, discoveryIn(readStateFiles(folder, [DISCOVERY_FILE])).serviceFiles)
  const revived = revivedTokens(saved, folder)
  stateFile(folder, JOURNAL).write(formatBackup({ ...backup, files }, 0))
  return { ...apply({ ...backup, files }, folder), revived }
}

/**
 * Completes a restore that was interrupted after its decision, or discards what was not decided. Returns what it changed, or undefined. The
 * caller must have locked the folder, and must call this before it reads files. Throws `OperatorError`, or the system's error.
 */
export function completeRestore(folder: string): ReturnType<typeof apply> | undefined {
  const text = stateFile(folder, JOURNAL).read()
  rmSync(join(folder, `${JOURNAL}.next`), { force: true })
  if (text === undefined) return undefined
  const wording = (fault: string): string => `${join(folder, JOURNAL)} is damaged: restore again (${fault})`
  const backup = reworded(() => parseBackup(text), wording)
  return apply(backup, folder)
}

/** Puts the files of a restore in place, and removes the others. It can be repeated. Returns the paths of both. */
function apply(backup: Backup, folder: string) {
  const removed: string[] = []
  for (const [path, { mode, isIdentity }] of RESTORED) {
    if (isIdentity && !hasIdentity(backup)) continue
    const text = backup.files[path]
    if (text === undefined && placeOf(folder, path) !== undefined) removed.push(path)
    const file = stateFile(folder, path, mode)
    if (text === undefined) file.remove()
    else file.write(text)
  }
  stateFile(folder, JOURNAL).remove()
  return { files: Object.keys(backup.files), removed }
}

/** A file in the state folder. A link in its place is removed, never followed. */
function stateFile(folder: string, path: string, mode?: number): DurableFile {
  const whole = join(folder, path)
  if (placeOf(folder, path)?.isSymbolicLink() === true) rmSync(whole)
  return new DurableFile(whole, mode === undefined ? {} : { mode })
}

/** What has the place of a state file. Throws `OperatorError` if a link or file has the place of its folder: no file can be put through it. */
function placeOf(folder: string, path: string) {
  const whole = join(folder, path)
  const inner = dirname(whole)
  if (inner !== folder && lstatSync(inner, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new OperatorError(`${inner} is not a folder: remove the file or link`)
  return lstatSync(whole, { throwIfNoEntry: false })
}

/** Throws `SettingsError` or `OperatorError` for files that a service could not start with. */
function checkFiles(files: StateTexts, isTwinMemory: StateOptions['isTwinMemory']): void {
  for (const [path, text] of Object.entries(files)) {
    const read = () => STATE_FILES.get(path)?.read?.(text, isTwinMemory)
    reworded(read, (fault) => `${path} is damaged, ${fault}`)
  }
}

/** Reads the certificates as the service will. */
function checkCertificates(files: StateTexts): void {
  const file = (path: string) => ({ path, read: () => files[path] })
  const read = (): void => {
    readAuthority({ authority: file('tls/authority.pem'), authorityKey: file('tls/authority.key') })
    readImportedCertificate({ imported: file('tls/imported.pem') })
  }
  reworded(read, (fault) => `the certificates in the backup cannot be used (${fault})`)
}

/** What a `discovery.json` remembers; nothing if it is damaged. */
const discoveryIn = ({ [DISCOVERY_FILE]: text = '{}' }: StateTexts) => rememberedOf(orElse<unknown>({}, () => JSON.parse(text)))

/**
 * The files with a `discovery.json` that lists these files of avahi. They concern this machine: they are removed one day, so they must never
 * come from a backup.
 */
function withServiceFiles(files: StateTexts, serviceFiles: readonly string[] | undefined): StateTexts {
  const { [DISCOVERY_FILE]: _, ...others } = files
  const text = JSON.stringify({ ...discoveryIn(files), serviceFiles }, undefined, 2)
  return text === '{}' ? others : { ...others, [DISCOVERY_FILE]: `${text}\n` }
}

/** Names of tokens that a restore brings back: in the backup, but not in the state folder. Throws the system's error. */
function revivedTokens(saved: StateTexts, folder: string): readonly string[] {
  // A damaged file may be the reason for the restore.
  const tokensIn = ({ 'tokens.json': text = '' }: StateTexts) => orElse([], () => parseTokens(text))
  // Compare secrets, not ids: an id may be the same by chance or by hand.
  const known = new Set(tokensIn(readStateFiles(folder, ['tokens.json'])).map(({ sha256 }) => sha256))
  return tokensIn(saved).flatMap(({ name, sha256 }) => (known.has(sha256) ? [] : [name]))
}

/**
 * Reads those of the state files that exist. Never follows a link, not even one in place of a folder, which may lead anywhere. Throws
 * `OperatorError`, or the system's error.
 */
function readStateFiles(folder: string, paths: readonly string[]): StateTexts {
  const texts = paths.map((path) => [path, textOf(join(folder, path), placeOf(folder, path))] as const)
  return Object.fromEntries(texts.filter((each): each is readonly [string, string] => each[1] !== undefined))
}

function textOf(path: string, stat: ReturnType<typeof placeOf>): string | undefined {
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new OperatorError(`${path} is not a file: put the file itself there, or remove it`)
  if (stat.size > MAX_FILE_BYTES) throw new OperatorError(`${path} is too large, ${stat.size} bytes: at most ${MAX_FILE_BYTES}`)
  const content = readBytes(path, constants.O_NOFOLLOW)
  if (content === undefined || isUtf8(content)) return content?.toString()
  throw new OperatorError(`${path} is not text in UTF-8: correct the file, or remove it`)
}
