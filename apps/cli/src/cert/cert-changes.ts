import { closeSync, openSync, readSync } from 'node:fs'
import {
  assertNotRestoring,
  type CertificateDescription,
  CertificateError,
  CertificateStore,
  certificatesFolder,
  describeCertificate,
  FileAuditLog,
  localEntry,
  systemUser,
} from '@slotwire/gateway'
import { type Told, tellRunningService } from '../run/running-service.ts'
import { stateFolderOf } from '../state/state-option.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { hintLog } from '../terminal/hint-log.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** What commands that change certificates have of their surroundings. */
export interface ChangeContext extends CommandContext {
  /** Has the service that uses this state folder read its files again. */
  readonly tell?: (state: string) => Told
}

interface ChangeOptions {
  readonly state?: string
  readonly json: boolean
}

/** Paths of the files. */
interface ImportFiles extends ChangeOptions {
  readonly certificate: string
  readonly key: string
  readonly authority?: string
}

/** What was done: for the audit log, for programs, and for people. */
interface Change {
  readonly action: string
  readonly what: Readonly<Record<string, unknown>>
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
}

const TOLD: Readonly<Record<Told, string>> = {
  told: 'The running service was told: it presents this to all who connect from now on.',
  'not-running': 'No service uses this state folder now: the next one presents this.',
  'not-allowed': 'The service does not run as the user of this folder, or not as you, and could not be told: restart it.',
}

/** Makes a new server certificate for the names of the present one. Throws `CertificateError`. */
export async function renewCertificate(options: ChangeOptions, context: ChangeContext): Promise<void> {
  const { leaf } = await storeOf(options, context).renew(context.wallTime())
  const description = describeCertificate(leaf, context.wallTime())
  finish(options, context, {
    action: 'certificate.renew',
    what: identity(description),
    json: { renewed: description },
    text: `The server certificate was renewed. ${validity(description)}`,
  })
}

/** Checks and takes over a company's own certificate. Throws `CertificateError` and `UsageError`. */
export function importCertificate(options: ImportFiles, context: ChangeContext): void {
  const { authority } = options
  const store = storeOf(options, context)
  const { leaf, warnings } = store.import(
    {
      certificate: readInput('--certificate', options.certificate),
      key: readInput('--key', options.key),
      authority: authority === undefined ? undefined : readInput('--authority', authority),
    },
    context.wallTime(),
  )
  for (const warning of warnings) context.hint(`slotwire: ${warning}\n`)
  const description = describeCertificate(leaf, context.wallTime())
  finish(options, context, {
    action: 'certificate.import',
    what: identity(description),
    json: { imported: description, warnings },
    text: `The certificate was imported, and nobody renews it here. ${validity(description)}\n${trustIn(store)}`,
  })
}

/** Goes back to the own authority. Throws `CertificateError`. */
export function undoImport(options: ChangeOptions, context: ChangeContext): void {
  const store = storeOf(options, context)
  if (!store.undoImport()) {
    context.print(
      options.json ? `${JSON.stringify({ undone: false })}\n` : 'Nothing was imported: the own authority is in use.\n',
    )
    return
  }
  finish(options, context, {
    action: 'certificate.import.undo',
    what: {},
    json: { undone: true },
    text: `The imported certificate was removed.\n${trustIn(store)}`,
  })
}

function storeOf(options: ChangeOptions, context: ChangeContext): CertificateStore {
  const folder = stateFolderOf(options, context)
  assertNotRestoring(folder)
  return new CertificateStore(certificatesFolder(folder))
}

/** Writes the change down, tells the service, and says what came of it. */
function finish(options: ChangeOptions, context: ChangeContext, { action, what, json, text }: Change): void {
  const { wallTime, hint, environment, print, tell = tellRunningService } = context
  const state = stateFolderOf(options, context)
  new FileAuditLog({ folder: state, wallTime, log: hintLog(hint) }).add(localEntry(systemUser(environment), { action, what }))
  const service = tell(state)
  print(options.json ? `${JSON.stringify({ ...json, service })}\n` : `${text}\n${TOLD[service]}\n`)
}

function identity({ subject, fingerprint, validUntil }: CertificateDescription): Readonly<Record<string, unknown>> {
  return { subject, fingerprint, validUntil }
}

function validity({ validUntil, daysLeft }: CertificateDescription): string {
  return `It is valid until ${validUntil.slice(0, 'YYYY-MM-DD'.length)} (${daysLeft} days).`
}

function trustIn(store: CertificateStore): string {
  try {
    const stored = store.read()
    if (stored === undefined) return 'The service makes an authority when it opens its network door.'
    return `Clients are to trust the authority with the SHA-256 fingerprint ${stored.authority.fingerprint256}`
  } catch (error) {
    if (error instanceof CertificateError) return error.message
    throw error
  }
}

/** A certificate with its chain is shorter. */
const MOST_BYTES = 65_536

/** The text of a file, or of a pipe such as `<(openssl pkey -in key.pem)`. Throws `UsageError`. */
function readInput(option: string, path: string): string {
  const bytes = new Uint8Array(MOST_BYTES + 1)
  let length = 0
  try {
    const file = openSync(path, 'r')
    try {
      for (let count = -1; count !== 0 && length < bytes.length; length += count) {
        count = readSync(file, bytes, length, bytes.length - length, null)
      }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${option} ${path} cannot be read (${reason}): give a file in PEM`, { cause: error })
  }
  if (length > MOST_BYTES) throw new UsageError(`${option} ${path} is too long: at most ${MOST_BYTES} bytes, in PEM`)
  return new TextDecoder().decode(bytes.subarray(0, length))
}
