import {
  BackupError,
  CertificateError,
  CertificateStore,
  certificatesFolder,
  certificatesToPem,
  type StoredCertificates,
} from '@slotwire/gateway'
import { UnreadableLockError } from '@slotwire/storage'
import { Command } from 'commander'
import { stateFolderOf, stateOption } from '../state/state-option.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { type ChangeContext, importCertificate, renewCertificate, undoImport } from './cert-changes.ts'
import { type DeviceNames, formatNames, shownNames } from './cert-names.ts'
import { formatCertificates, shownCertificates } from './cert-show.ts'

interface Options {
  readonly state?: string
  readonly json: boolean
}

interface ImportOptions extends Options {
  readonly certificate?: string
  readonly key?: string
  readonly authority?: string
  readonly undo: boolean
}

/** What these commands have of their surroundings. */
export interface CertContext extends ChangeContext {
  /** What a device with this state folder is called now. */
  readonly deviceNames: (state: string) => DeviceNames
}

/** `slotwire cert show|names|renew|import|authority`. Works whether the service runs or not. */
export function certCommand(context: CertContext): Command {
  const command = new Command('cert').description('show, renew and replace the certificate that clients in the network see')
  const add = (name: string, description: string): Command =>
    command.command(name).description(description).addOption(stateOption()).allowExcessArguments(false)
  const asJson = ['--json', 'print one line of JSON for programs instead of text', false] as const

  add('show', 'show the authority that clients are to trust, and the server certificate that it signed')
    .option(...asJson)
    .action((options: Options) => usingCertificates(() => show(options, context)))
  add('names', 'list the host names and addresses that the certificate is valid for, and where each comes from')
    .option(...asJson)
    .action((options: Options) => usingCertificates(() => names(options, context)))
  add('authority', 'print the certificate of the authority, in PEM, for clients to trust').action((options: Options) =>
    usingCertificates(() => context.print(authorityPem(options, context))),
  )
  add('renew', 'make a new server certificate now, with a new key')
    .option(...asJson)
    .action((options: Options) => usingCertificates(() => renewCertificate(options, context)))
  add('import', 'use a certificate that somebody else issued')
    .option('--certificate <file>', 'PEM: the certificate of this device first, then each one’s issuer')
    .option('--key <file>', 'PEM: its private key, not encrypted')
    .option('--authority <file>', 'PEM: what clients are to trust; the last certificate of the chain if not given')
    .option('--undo', 'go back to the authority of this device', false)
    .option(...asJson)
    .action((options: ImportOptions) => usingCertificates(() => importOrUndo(options, context)))
  return command
}

function show(options: Options, context: CertContext): void {
  const shown = shownCertificates(stored(options, context), context.wallTime())
  context.print(options.json ? `${JSON.stringify(shown)}\n` : formatCertificates(shown))
}

function names(options: Options, context: CertContext): void {
  const device = context.deviceNames(stateFolderOf(options, context))
  const shown = shownNames(stored(options, context), device, context.wallTime())
  context.print(options.json ? `${JSON.stringify(shown)}\n` : formatNames(shown))
}

function authorityPem(options: Options, context: CertContext): string {
  return certificatesToPem([stored(options, context).authority])
}

function importOrUndo(options: ImportOptions, context: CertContext): void {
  const { certificate, key, authority, undo } = options
  if (undo) {
    if (certificate !== undefined || key !== undefined || authority !== undefined)
      throw new UsageError('--undo goes back to the authority of this device: leave the files out')
    undoImport(options, context)
    return
  }
  if (certificate === undefined || key === undefined)
    throw new UsageError('an import needs both: --certificate FILE and --key FILE')
  importCertificate({ ...options, certificate, key }, context)
}

function stored(options: Options, context: CertContext): StoredCertificates {
  const found = new CertificateStore(certificatesFolder(stateFolderOf(options, context))).read()
  if (found === undefined) {
    throw new UsageError('there are no certificates yet: the service makes them when it first opens its network door')
  }
  return found
}

/** What whoever typed the command can mend comes as `UsageError`. */
async function usingCertificates(work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof CertificateError || error instanceof BackupError || error instanceof UnreadableLockError)
      throw new UsageError(error.message, { cause: error })
    throw error
  }
}
