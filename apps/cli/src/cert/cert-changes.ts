import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { messageOf } from '@slotwire/core'
import {
  assertNotRestoring,
  type CertificateDescription,
  type CertificateStore,
  certificateStoreIn,
  describeCertificate,
  OperatorError,
} from '@slotwire/network'
import { NOTIFY_TEXTS, type NotifyContext, notifyRunningService } from '../run/running-service.ts'
import { auditChange } from '../state/audit-change.ts'
import { type StateOptions, stateFolderOf } from '../state/state-folder.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { dateOf } from './cert-show.ts'

/** Paths of the files. */
interface ImportFiles extends StateOptions {
  readonly certificate: string
  readonly key: string
  readonly authority?: string
}

/** A finished change: for the audit log, for programs (`json`) and for people (`text`). */
interface CertificateChange {
  readonly action: string
  readonly what: object
  readonly json: object
  readonly text: string
}

/** Makes a new server certificate with the names of the current one. Throws `OperatorError`. */
export async function renewCertificate(options: StateOptions, context: NotifyContext): Promise<void> {
  const { leaf } = await storeOf(options, context).renew(context.wallTime())
  const description = describeCertificate(leaf, context.wallTime())
  finish(options, context, {
    action: 'certificate.renew',
    what: identity(description),
    json: { renewed: description },
    text: `Renewed the server certificate. ${validity(description)}`,
  })
}

/** Checks and imports a certificate that another authority issued. Throws `OperatorError` and `UsageError`. */
export async function importCertificate(options: ImportFiles, context: NotifyContext): Promise<void> {
  const store = storeOf(options, context)
  const texts = {
    certificate: await readInput('--certificate', options.certificate),
    key: await readInput('--key', options.key),
    authority: options.authority === undefined ? undefined : await readInput('--authority', options.authority),
  }
  const { leaf, warnings } = store.import(texts, context.wallTime())
  for (const warning of warnings) context.hint(`slotwire: ${warning}\n`)
  const description = describeCertificate(leaf, context.wallTime())
  finish(options, context, {
    action: 'certificate.import',
    what: identity(description),
    json: { imported: description, warnings },
    text: `Imported the certificate. Slotwire does not renew it. ${validity(description)}\n${trustIn(store)}`,
  })
}

/** Removes the imported certificate and returns to the device's own authority. Throws `OperatorError`. */
export function undoImport(options: StateOptions, context: NotifyContext): void {
  const store = storeOf(options, context)
  if (!store.undoImport()) {
    const text = options.json
      ? JSON.stringify({ undone: false })
      : 'No certificate is imported: the device uses its own authority.'
    context.print(`${text}\n`)
    return
  }
  finish(options, context, {
    action: 'certificate.import.undo',
    what: {},
    json: { undone: true },
    text: `Removed the imported certificate.\n${trustIn(store)}`,
  })
}

function storeOf(options: StateOptions, context: NotifyContext): CertificateStore {
  const folder = stateFolderOf(options, context)
  assertNotRestoring(folder)
  return certificateStoreIn(folder)
}

/** Writes the audit log, notifies the running service, and prints the result. */
function finish(options: StateOptions, context: NotifyContext, { action, what, json, text }: CertificateChange): void {
  const { print, notify = notifyRunningService } = context
  const state = stateFolderOf(options, context)
  auditChange(context, state, action, what)
  const service = notify(state)
  print(options.json ? `${JSON.stringify({ ...json, service })}\n` : `${text}\n${NOTIFY_TEXTS[service]}\n`)
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
    if (stored === undefined) return 'The service creates an authority when it opens its network door.'
    return `Clients must trust the authority with the SHA-256 fingerprint ${stored.authority.fingerprint256}`
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}

/** Limit for one file, in bytes: a certificate with its chain is shorter. */
const MAX_INPUT_BYTES = 65_536

/** The text of a file, or of a pipe such as `<(openssl pkey -in key.pem)`. Throws `UsageError`. */
async function readInput(option: string, path: string): Promise<string> {
  const bytes = await buffer(createReadStream(path, { end: MAX_INPUT_BYTES })).catch((error: unknown) => {
    throw new UsageError(`${option} ${path} cannot be read (${messageOf(error)}): give a file in PEM`, { cause: error })
  })
  if (bytes.length > MAX_INPUT_BYTES)
    throw new UsageError(`${option} ${path} is too long: at most ${MAX_INPUT_BYTES} bytes, in PEM`)
  return bytes.toString()
}
