import { isUtf8 } from 'node:buffer'
import { closeSync, constants, lstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord, orElse } from '@slotwire/core'
import { isMachineId } from '../machine-id.ts'
import { OperatorError, reworded } from '../operator-error.ts'
import { SettingsError } from '../settings/setting.ts'
import { parseSettingsFile, SETTINGS_FILE, SETTINGS_MODE } from '../settings/settings-file.ts'
import { parseTokens, parseUses } from '../tokens/token-document.ts'

/** Texts of state files by their paths in the state folder, with `/`. */
export type StateTexts = Readonly<Record<string, string>>

/** Whether the virtual module in a slot can have saved this document. */
export type IsTwinMemory = (slot: number, document: Readonly<Record<string, unknown>>) => boolean

interface StateFile {
  /** Part of the device's identity: saved only with `--identity`. */
  readonly isIdentity?: boolean
  /** Permissions; default: only its owner reads it. */
  readonly mode?: number
  /** Reads the text as the service does. Throws `OperatorError` or `SettingsError`. */
  readonly read?: (text: string, isTwinMemory: IsTwinMemory) => unknown
}

/** Each file has a few thousand bytes at most. */
const MAX_FILE_BYTES = 1_048_576
export const DISCOVERY_FILE = 'discovery.json'

/** All files that a backup can hold, by path. Others are neither saved nor touched by a restore, which reads the certificates together. */
export const STATE_FILES: ReadonlyMap<string, StateFile> = new Map<string, StateFile>([
  [SETTINGS_FILE, { mode: SETTINGS_MODE, read: readSettings }],
  ['tokens.json', { read: parseTokens }],
  ['token-use.json', { read: parseUses }],
  [DISCOVERY_FILE, {}],
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((slot) => [`twin/slot-${slot}.json`, { read: memoryReader(slot) }] as const),
  ['tls/imported.pem', {}],
  ['machine-id', { isIdentity: true, mode: 0o644, read: readMachineId }],
  ['tls/authority.key', { isIdentity: true }],
  ['tls/authority.pem', { isIdentity: true, mode: 0o644 }],
  ['tls/server.pem', { isIdentity: true }],
])

function memoryReader(slot: number): NonNullable<StateFile['read']> {
  return (text, isTwinMemory) => {
    const document = orElse<unknown>(undefined, () => JSON.parse(text))
    if (isRecord(document) && isTwinMemory(slot, document)) return
    throw new OperatorError(`it holds nothing that the virtual module in slot ${slot} saves`)
  }
}

function readSettings(text: string): void {
  const { problems } = parseSettingsFile(Buffer.from(text), SETTINGS_FILE)
  if (problems.length > 0) throw new SettingsError(problems)
}

function readMachineId(text: string): void {
  if (!isMachineId(text)) throw new OperatorError('it must have 32 digits 0-9 and a-f')
}

/** Throws `SettingsError` or `OperatorError` for files that a service could not start with. */
export function checkFiles(files: StateTexts, isTwinMemory: IsTwinMemory): void {
  for (const [path, text] of Object.entries(files))
    reworded(
      () => STATE_FILES.get(path)?.read?.(text, isTwinMemory),
      (fault) => `${path} is damaged, ${fault}`,
    )
}

/**
 * Reads those of the state files that exist. Never follows a link, not even one in place of a folder, which may lead anywhere. Throws
 * `OperatorError`, or the system's error.
 */
export function readStateFiles(folder: string, paths: readonly string[]): StateTexts {
  const read = paths.map((path) => [path, textOf(join(folder, path), folder)] as const)
  return Object.fromEntries(read.filter((each): each is readonly [string, string] => each[1] !== undefined))
}

function textOf(path: string, folder: string): string | undefined {
  checkFolder(folder, path)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new OperatorError(`${path} is not a file: put the file itself there, or remove it`)
  if (stat.size > MAX_FILE_BYTES) throw new OperatorError(`${path} is too large, ${stat.size} bytes: at most ${MAX_FILE_BYTES}`)
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const content = readFileSync(file)
    if (isUtf8(content)) return content.toString()
    throw new OperatorError(`${path} is not text in UTF-8: correct the file, or remove it`)
  } finally {
    closeSync(file)
  }
}

/** Throws `OperatorError` if a link or file has the place of the folder of a state file: no file can be put through it. */
export function checkFolder(folder: string, path: string): void {
  const inner = dirname(path)
  if (inner !== folder && lstatSync(inner, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new OperatorError(`${inner} is not a folder: remove the file or link`)
}
