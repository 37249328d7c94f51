import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { formatBackup, makeBackup } from '@slotwire/network/backup'
import { DurableFile } from '@slotwire/storage'
import { Command } from 'commander'
import { auditChange } from '../state/audit-change.ts'
import { stateFolderOf, stateOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'

interface Options {
  readonly state?: string
  readonly identity: boolean
  readonly force: boolean
}

/** What `slotwire backup` needs from this program. */
export interface BackupContext extends CommandContext {
  /** Version of Slotwire. */
  readonly version: string
}

/** File name that stands for standard output, or standard input. */
export const STANDARD = '-'

/** `slotwire backup`. Works whether the service runs or not. */
export function backupCommand(context: BackupContext): Command {
  return new Command('backup')
    .description('Save settings, tokens and module memory to a file')
    .argument('<file>', 'the file to write; - for standard output')
    .addOption(stateOption())
    .option('--identity', 'Include machine id, authority and its private key', false)
    .option('--force', 'Overwrite an existing file', false)
    .addHelpText('after', examples('backup slotwire-backup.json', 'backup --identity - > slotwire-backup.json'))
    .action((file: string, options: Options) => withUsageErrors(() => backup(file, options, context)))
}

function backup(file: string, { identity, force, ...options }: Options, context: BackupContext): void {
  const { print, hint, version, wallTime } = context
  const folder = stateFolderOf(options, context)
  const target = file === STANDARD ? undefined : checkedTarget(file, folder, force)
  const made = makeBackup({ folder, identity, slotwire: version, wallTime })
  const text = formatBackup(made)
  if (target === undefined) print(text)
  else new DurableFile(target).write(text)
  const paths = made.files.map(({ path }) => path)
  auditChange(context, folder, 'state.backup', { file: target ?? STANDARD, identity, files: paths })
  hint(`${[`Saved ${counted(paths)}.`, ...warnings(paths)].join('\n')}\n`)
}

/** Absolute path of the file to write. Throws `UsageError` if the command must not write it. */
function checkedTarget(file: string, folder: string, force: boolean): string {
  const target = resolve(file)
  if (!existsSync(dirname(target))) throw new UsageError(`the folder ${dirname(target)} does not exist: create it first`)
  if (!relative(folder, target).startsWith('..'))
    throw new UsageError(`${target} is in the state folder: save the backup elsewhere`)
  if (!force && existsSync(target))
    throw new UsageError(`${target} already exists: choose another file, or overwrite it with --force`)
  return target
}

function warnings(paths: readonly string[]): readonly string[] {
  const keys = [
    ...(paths.includes('tls/authority.key') ? ['of the device’s authority: its holder can impersonate this device'] : []),
    ...(paths.includes('tls/imported.pem') ? ['of the imported certificate'] : []),
  ]
  return keys.length === 0 ? [] : [`The backup holds the key ${keys.join(', and the key ')}. Protect it like the key itself.`]
}

/** `2 files: settings.yaml, tokens.json` */
export function counted(paths: readonly string[]): string {
  if (paths.length === 0) return 'nothing: all settings have their defaults'
  return `${paths.length} ${paths.length === 1 ? 'file' : 'files'}: ${paths.join(', ')}`
}
