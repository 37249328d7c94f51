import { createHash } from 'node:crypto'
import { fromIsoTime, isRecord, quoted } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import { stateFileOf } from './state-files.ts'

/** More than any device has. */
export const MOST_BACKUP_BYTES = 16_777_216

const FORMAT = 'slotwire-backup'
const VERSION = 1
const MOST_FILES = 100
const MODE = /^0[0-7]{3}$/
const OWNER_READS = 0o400

/** A file in a backup. */
export interface BackupFile {
  /** In the state folder, with `/`. */
  readonly path: string
  /** Permissions, as of `chmod`. */
  readonly mode: number
  readonly text: string
}

/** The state of a device at one moment. */
export interface Backup {
  /** ISO 8601. */
  readonly made: string
  /** Version of Slotwire that made it. */
  readonly slotwire: string
  /** The backup holds the device's identity: machine id and authority. */
  readonly identity: boolean
  readonly files: readonly BackupFile[]
}

/** The backup as one JSON document with a checksum. Files are stored as lines, so that people can read and compare them. */
export function formatBackup({ made, slotwire, identity, files }: Backup): string {
  const documents = files.map(({ path, mode, text }) => ({
    path,
    mode: mode.toString(8).padStart(4, '0'),
    lines: text.split('\n'),
  }))
  const document = { format: FORMAT, version: VERSION, made, slotwire, identity, files: documents }
  return `${JSON.stringify({ ...document, sha256: checksum(document) }, undefined, 2)}\n`
}

/** Checksum of the document without its `sha256` field, as compact JSON. */
function checksum(document: object): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex')
}

/** Reads and checks a backup from an untrusted source. Throws `OperatorError`. */
export function parseBackup(text: string): Backup {
  const document = objectIn(text)
  if (document['format'] !== FORMAT) throw new OperatorError('this is not a Slotwire backup')
  if (document['version'] !== VERSION) {
    throw new OperatorError(
      `the backup has version ${shown(document['version'])}, and ${VERSION} is understood: use the Slotwire that made it, or a newer one`,
    )
  }
  const { sha256, ...rest } = document
  const backup = backupIn(rest)
  if (backup === undefined || sha256 !== checksum(rest)) {
    throw new OperatorError('the backup is damaged: its checksum does not match. Use another copy of it')
  }
  checkFiles(backup)
  return backup
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OperatorError('this is not a Slotwire backup, or only a part of one: it is not JSON', { cause: error })
  }
  if (!isRecord(value)) throw new OperatorError('this is not a Slotwire backup')
  return value
}

/** Returns undefined for a document that this version would never write. */
function backupIn(rest: Readonly<Record<string, unknown>>): Backup | undefined {
  const { made, slotwire, identity, files } = rest
  if (Object.keys(rest).join() !== 'format,version,made,slotwire,identity,files') return undefined
  if (typeof made !== 'string' || Number.isNaN(fromIsoTime(made)) || typeof slotwire !== 'string') return undefined
  if (typeof identity !== 'boolean' || !Array.isArray(files) || files.length > MOST_FILES) return undefined
  const read = files.map(fileIn)
  const whole = read.filter((file) => file !== undefined)
  return whole.length < read.length ? undefined : { made, slotwire, identity, files: whole }
}

function fileIn(value: unknown): BackupFile | undefined {
  if (!isRecord(value)) return undefined
  const { path, mode, lines, ...others } = value
  if (typeof path !== 'string' || typeof mode !== 'string' || !MODE.test(mode) || Object.keys(others).length > 0) return undefined
  if (!Array.isArray(lines) || !lines.every((line) => typeof line === 'string')) return undefined
  return { path, mode: Number.parseInt(mode, 8), text: lines.join('\n') }
}

/** A checksum detects accidents, not attacks: check each file as untrusted input. */
function checkFiles({ identity, files }: Backup): void {
  const seen = new Set<string>()
  for (const { path, mode } of files) {
    const name = shown(path)
    const file = stateFileOf(path)
    if (file === undefined) throw new OperatorError(`the backup holds ${name}, which is not a state file: do not use it`)
    if (seen.has(path)) throw new OperatorError(`the backup holds ${name} twice: do not use it`)
    if (file.identity && !identity) throw new OperatorError(`the backup holds ${name}, but declares no identity: do not use it`)
    if ((mode & ~file.widestMode) !== 0 || (mode & OWNER_READS) === 0) {
      throw new OperatorError(
        `the backup gives ${name} the permissions ${mode.toString(8)}, which it must not have: do not use it`,
      )
    }
    seen.add(path)
  }
}

/** A value of the document, escaped for a message. */
const shown = (value: unknown) => quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'))
