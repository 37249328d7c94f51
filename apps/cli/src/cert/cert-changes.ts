import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import {
  assertNotRestoring,
  type CertificateDescription,
  CertificateStore,
  certificatesFolder,
  describeCertificate,
  OperatorError,
} from '@slotwire/gateway'
import { type TellingContext, TOLD_TEXTS, tellRunningService } from '../run/running-service.ts'
import { auditChange } from '../state/audit-change.ts'
import { type StateOptions, stateFolderOf } from '../state/state-option.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { dateOf } from './cert-show.ts'

/** Paths of the files. */
interface ImportFiles extends StateOptions {
  readonly certificate: string
  readonly key: string
  readonly authority?: string
}

/** What was done: for the audit log, for programs, and for people. */
interface Change {
  readonly action: string
  readonly what: object
  readonly json: object
  readonly text: string
}

/** Makes a new server certificate for the names of the present one. Throws `OperatorError`. */
export async function renewCertificate(options: StateOptions, context: TellingContext): Promise<void> {
  const { leaf } = await storeOf(options, context).renew(context.wallTime())
  const description = describeCertificate(leaf, context.wallTime())
  finish(options, context, {
    action: 'certificate.renew',
    what: identity(description),
    json: { renewed: description },
    text: `The server certificate was renewed. ${validity(description)}`,
  })
}

/** Checks and takes over a company's own certificate. Throws `OperatorError` and `UsageError`. */
export async function importCertificate(options: ImportFiles, context: TellingContext): Promise<void> {
  const store = storeOf(options, context)
  const given = {
    certificate: await readInput('--certificate', options.certificate),
    key: await readInput('--key', options.key),
    authority: options.authority === undefined ? undefined : await readInput('--authority', options.authority),
  }
  const { leaf, warnings } = store.import(given, context.wallTime())
  for (const warning of warnings) context.hint(`slotwire: ${warning}\n`)
  const description = describeCertificate(leaf, context.wallTime())
  finish(options, context, {
    action: 'certificate.import',
    what: identity(description),
    json: { imported: description, warnings },
    text: `The certificate was imported, and nobody renews it here. ${validity(description)}\n${trustIn(store)}`,
  })
}

/** Goes back to the own authority. Throws `OperatorError`. */
export function undoImport(options: StateOptions, context: TellingContext): void {
  const store = storeOf(options, context)
  if (!store.undoImport()) {
    const text = options.json ? JSON.stringify({ undone: false }) : 'Nothing was imported: the own authority is in use.'
    context.print(`${text}\n`)
    return
  }
  finish(options, context, {
    action: 'certificate.import.undo',
    what: {},
    json: { undone: true },
    text: `The imported certificate was removed.\n${trustIn(store)}`,
  })
}

function storeOf(options: StateOptions, context: TellingContext): CertificateStore {
  const folder = stateFolderOf(options, context)
  assertNotRestoring(folder)
  return new CertificateStore(certificatesFolder(folder))
}

/** Writes the change down, tells the service, and says what came of it. */
function finish(options: StateOptions, context: TellingContext, { action, what, json, text }: Change): void {
  const { print, tell = tellRunningService } = context
  const state = stateFolderOf(options, context)
  auditChange(context, state, action, what)
  const service = tell(state)
  print(options.json ? `${JSON.stringify({ ...json, service })}\n` : `${text}\n${TOLD_TEXTS[service]}\n`)
}

function identity({ subject, fingerprint, validUntil }: CertificateDescription): object {
  return { subject, fingerprint, validUntil }
}

function validity({ validUntil, daysLeft }: CertificateDescription): string {
  return `It is valid until ${dateOf(validUntil)} (${daysLeft} days).`
}

function trustIn(store: CertificateStore): string {
  try {
    const stored = store.read()
    if (stored === undefined) return 'The service makes an authority when it opens its network door.'
    return `Clients are to trust the authority with the SHA-256 fingerprint ${stored.authority.fingerprint256}`
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}

/** A certificate with its chain is shorter. */
const MOST_BYTES = 65_536

/** The text of a file, or of a pipe such as `<(openssl pkey -in key.pem)`. Throws `UsageError`. */
async function readInput(option: string, path: string): Promise<string> {
  const bytes = await buffer(createReadStream(path, { end: MOST_BYTES })).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${option} ${path} cannot be read (${reason}): give a file in PEM`, { cause: error })
  })
  if (bytes.length > MOST_BYTES) throw new UsageError(`${option} ${path} is too long: at most ${MOST_BYTES} bytes, in PEM`)
  return bytes.toString()
}
