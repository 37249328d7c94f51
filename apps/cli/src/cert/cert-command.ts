import { certificateStoreIn, certificatesToPem, OperatorError, type StoredCertificates } from '@slotwire/network'
import { Command } from 'commander'
import type { NotifyContext } from '../run/running-service.ts'
import { addStateCommand, type StateOptions, stateFolderOf, stateOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'
import { importCertificate, renewCertificate, undoImport } from './cert-changes.ts'
import { type DeviceNames, formatCertificates, formatNames, ownNames, shownCertificates, shownNames } from './cert-show.ts'

interface ImportOptions extends StateOptions {
  readonly certificate?: string
  readonly key?: string
  readonly authority?: string
  readonly undo: boolean
}

/** What the `cert` commands need from this program. */
export interface CertContext extends NotifyContext {
  /** The current names of a device with this state folder. */
  readonly deviceNames?: (state: string) => DeviceNames
}

/** `slotwire cert show|names|renew|import|authority`. Works whether the service runs or not. */
export function certCommand(context: CertContext): Command {
  const command = new Command('cert')
    .description('Show, renew or replace the server certificate')
    .addHelpText('after', examples('cert show', 'cert renew'))
  addStateCommand(command, 'show', 'Show the authority to trust, and the server certificate', 'cert show').action(
    (options: StateOptions) => withUsageErrors(() => show(options, context)),
  )
  addStateCommand(command, 'names', 'List the names that the certificate is valid for', 'cert names').action(
    (options: StateOptions) => withUsageErrors(() => names(options, context)),
  )
  command
    .command('authority')
    .description('Print the certificate of the authority (PEM)')
    .addHelpText('after', examples('cert authority > authority.pem'))
    .addOption(stateOption())
    .action((options: StateOptions) =>
      withUsageErrors(() => context.print(certificatesToPem([stored(options, context).authority]))),
    )
  addStateCommand(command, 'renew', 'Make a new server certificate with a new key', 'cert renew').action(
    (options: StateOptions) => withUsageErrors(() => renewCertificate(options, context)),
  )
  addStateCommand(
    command,
    'import',
    'Use a certificate from another authority',
    'cert import --certificate device.pem --key device.key',
    'cert import --undo',
  )
    .option('--certificate <file>', 'Read the certificate, then its issuers (PEM)')
    .option('--key <file>', 'Read the unencrypted private key (PEM)')
    .option('--authority <file>', 'Read the authority to trust (default: last issuer)')
    .option('--undo', 'Return to the authority of this device', false)
    .action((options: ImportOptions) => withUsageErrors(() => importOrUndo(options, context)))
  return command
}

function show(options: StateOptions, context: CertContext): void {
  const shown = shownCertificates(stored(options, context), context.wallTime())
  context.print(options.json ? `${JSON.stringify(shown)}\n` : formatCertificates(shown))
}

function names(options: StateOptions, context: CertContext): void {
  const { deviceNames = ownNames } = context
  const device = deviceNames(stateFolderOf(options, context))
  const shown = shownNames(stored(options, context), device, context.wallTime())
  context.print(options.json ? `${JSON.stringify(shown)}\n` : formatNames(shown))
}

async function importOrUndo(options: ImportOptions, context: CertContext): Promise<void> {
  const { certificate, key, authority, undo } = options
  if (undo && (certificate ?? key ?? authority) !== undefined)
    throw new UsageError('--undo returns to the authority of this device and takes no files')
  if (undo) return undoImport(options, context)
  if (certificate === undefined || key === undefined)
    throw new UsageError('an import needs both: --certificate FILE and --key FILE')
  return importCertificate({ ...options, certificate, key }, context)
}

function stored(options: StateOptions, context: CertContext): StoredCertificates {
  const certificates = certificateStoreIn(stateFolderOf(options, context)).read()
  if (certificates !== undefined) return certificates
  throw new OperatorError('there are no certificates yet: the service makes them when it first opens its network door')
}
