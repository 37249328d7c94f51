import { createHash } from 'node:crypto'
import { fromIsoTime, isoTime, isRecord, orElse, quoted } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import { type BackupFile, stateFileOf, widestModeOf } from './state-files.ts'

const FORMAT = 'slotwire-backup'
const VERSION = 1
const OWNER_READS = 0o400

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
export function formatBackup(backup: Backup): string {
  return `${JSON.stringify(documentOf(backup), undefined, 2)}\n`
}

function documentOf({ made, slotwire, identity, files }: Backup) {
  const documents = files.map(({ path, mode, text }) => ({
    path,
    mode: mode.toString(8).padStart(4, '0'),
    lines: text.split('\n'),
  }))
  const document = { format: FORMAT, version: VERSION, made, slotwire, identity, files: documents }
  return { ...document, sha256: createHash('sha256').update(JSON.stringify(document)).digest('hex') }
}

/** Reads and checks a backup from an untrusted source. Throws `OperatorError`. */
export function parseBackup(text: string): Backup {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw new OperatorError('this is not a Slotwire backup, or only a part of one: it is not JSON', { cause: error })
  }
  if (!isRecord(document) || document['format'] !== FORMAT) throw new OperatorError('this is not a Slotwire backup')
  const version = document['version']
  if (version !== VERSION)
    throw new OperatorError(
      `the backup has version ${quoted(JSON.stringify(version) ?? 'none')}, and ${VERSION} is understood: use the Slotwire that made it, or a newer one`,
    )
  const backup = orElse(undefined, () => backupIn(document))
  // Whatever else the document has, this version would not have written it.
  if (backup === undefined || JSON.stringify(documentOf(backup)) !== JSON.stringify(document))
    throw new OperatorError('the backup is damaged: its checksum does not match. Use another copy of it')
  checkPaths(backup)
  return backup
}

/** May throw for a document of another form, or misread it. */
function backupIn({ made, slotwire, identity, files }: Readonly<Record<string, unknown>>): Backup {
  const read = (files as readonly Readonly<Record<string, unknown>>[]).map(({ path, mode, lines }) => ({
    path: String(path),
    mode: Number.parseInt(String(mode), 8),
    text: (lines as readonly unknown[]).join('\n'),
  }))
  return { made: isoTime(fromIsoTime(String(made))), slotwire: String(slotwire), identity: identity === true, files: read }
}

/** A checksum detects accidents, not attacks: check each file as untrusted input. */
function checkPaths({ identity, files }: Backup): void {
  const seen = new Set<string>()
  for (const { path, mode } of files) {
    const name = quoted(path)
    const file = stateFileOf(path)
    if (file === undefined) throw new OperatorError(`the backup holds ${name}, which is not a state file: do not use it`)
    if (seen.has(path)) throw new OperatorError(`the backup holds ${name} twice: do not use it`)
    if (file.isIdentity === true && !identity)
      throw new OperatorError(`the backup holds ${name}, but declares no identity: do not use it`)
    if ((mode & ~widestModeOf(file)) !== 0 || (mode & OWNER_READS) === 0)
      throw new OperatorError(
        `the backup gives ${name} the permissions ${mode.toString(8)}, which it must not have: do not use it`,
      )
    seen.add(path)
  }
}
