import { createHash } from 'node:crypto'
import { fromIsoTime, isoTime, isRecord, orElse, quoted } from '@slotwire/core'
import { OperatorError } from '../operator-error.ts'
import { STATE_FILES, type StateTexts } from './state-files.ts'

const FORMAT = 'slotwire-backup'
const VERSION = 1

/** The state of a device at one moment. */
export interface Backup {
  /** ISO 8601. */
  readonly made: string
  /** Version of Slotwire that made it. */
  readonly slotwire: string
  readonly files: StateTexts
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
function backupIn({ made, slotwire, files }: Readonly<Record<string, unknown>>): Backup {
  const texts = Object.entries(files as Readonly<Record<string, readonly unknown[]>>).map(([path, lines]) => [
    path,
    lines.join('\n'),
  ])
  return { made: isoTime(fromIsoTime(String(made))), slotwire: String(slotwire), files: Object.fromEntries(texts) as StateTexts }
}
