import {
  CertificateStore,
  certificatesFolder,
  certificatesToPem,
  OperatorError,
  type StoredCertificates,
} from '@slotwire/gateway'
import { Command } from 'commander'
import type { TellingContext } from '../run/running-service.ts'
import { addStateCommand, type StateOptions, stateFolderOf, stateOption } from '../state/state-option.ts'
import { withUsageErrors } from '../terminal/as-usage-error.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { importCertificate, renewCertificate, undoImport } from './cert-changes.ts'
import { type DeviceNames, formatNames, shownNames } from './cert-names.ts'
import { formatCertificates, shownCertificates } from './cert-show.ts'

interface ImportOptions extends StateOptions {
  readonly certificate?: string
  readonly key?: string
  readonly authority?: string
  readonly undo: boolean
}

/** What these commands have of their surroundings. */
export interface CertContext extends TellingContext {
  /** What a device with this state folder is called now. */
  readonly deviceNames: (state: string) => DeviceNames
}

/** `slotwire cert show|names|renew|import|authority`. Works whether the service runs or not. */
export function certCommand(context: CertContext): Command {
  const command = new Command('cert').description('show, renew and replace the certificate that clients in the network see')
  addStateCommand(
    command,
    'show',
    'show the authority that clients are to trust, and the server certificate that it signed',
  ).action((options: StateOptions) => withUsageErrors(() => show(options, context)))
  addStateCommand(command, 'names', 'list the host names and addresses that the certificate is valid for').action(
    (options: StateOptions) => withUsageErrors(() => names(options, context)),
  )
  command
    .command('authority')
    .description('print the certificate of the authority, in PEM, for clients to trust')
    .addOption(stateOption())
    .action((options: StateOptions) =>
      withUsageErrors(() => context.print(certificatesToPem([stored(options, context).authority]))),
    )
  addStateCommand(command, 'renew', 'make a new server certificate now, with a new key').action((options: StateOptions) =>
    withUsageErrors(() => renewCertificate(options, context)),
  )
  addStateCommand(command, 'import', 'use a certificate that somebody else issued')
    .option('--certificate <file>', 'PEM: the certificate of this device first, then each one’s issuer')
    .option('--key <file>', 'PEM: its private key, not encrypted')
    .option('--authority <file>', 'PEM: what clients are to trust; the last certificate of the chain if not given')
    .option('--undo', 'go back to the authority of this device', false)
    .action((options: ImportOptions) => withUsageErrors(() => importOrUndo(options, context)))
  return command
}

function show(options: StateOptions, context: CertContext): void {
  const shown = shownCertificates(stored(options, context), context.wallTime())
  context.print(options.json ? `${JSON.stringify(shown)}\n` : formatCertificates(shown))
}

function names(options: StateOptions, context: CertContext): void {
  const device = context.deviceNames(stateFolderOf(options, context))
  const shown = shownNames(stored(options, context), device, context.wallTime())
  context.print(options.json ? `${JSON.stringify(shown)}\n` : formatNames(shown))
}

async function importOrUndo(options: ImportOptions, context: CertContext): Promise<void> {
  const { certificate, key, authority, undo } = options
  if (undo && (certificate ?? key ?? authority) !== undefined)
    throw new UsageError('--undo goes back to the authority of this device: leave the files out')
  if (undo) return undoImport(options, context)
  if (certificate === undefined || key === undefined)
    throw new UsageError('an import needs both: --certificate FILE and --key FILE')
  return importCertificate({ ...options, certificate, key }, context)
}

function stored(options: StateOptions, context: CertContext): StoredCertificates {
  const found = new CertificateStore(certificatesFolder(stateFolderOf(options, context))).read()
  if (found !== undefined) return found
  throw new OperatorError('there are no certificates yet: the service makes them when it first opens its network door')
}
