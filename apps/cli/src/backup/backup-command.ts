import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { orElse } from '@slotwire/core'
import { isTwinMemory } from '@slotwire/device/twin'
import { withFileLock } from '@slotwire/network'
import { formatBackup, hasIdentity, makeBackup, parseBackup, restoreBackup } from '@slotwire/network/backup'
import { DurableFile, makeFolder } from '@slotwire/storage'
import { Command } from 'commander'
import { auditChange } from '../state/audit-change.ts'
import { lockState } from '../state/state-access.ts'
import { type StateOptions, stateFolderOf, stateOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { textOf } from '../terminal/files.ts'
import { counted } from '../terminal/text.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'

type Options = Pick<StateOptions, 'state'> & { readonly identity: boolean }
type BackupOptions = Options & { readonly force: boolean }

/** File name that stands for standard output, or standard input. */
const STANDARD = '-'

/** `slotwire backup`. Works whether the service runs or not. */
export function backupCommand(context: CommandContext): Command {
  return new Command('backup')
    .description('Save settings, tokens and module memory to a file')
    .argument('<file>', 'the file to write; - for standard output')
    .addOption(stateOption())
    .option('--identity', 'Include machine id, authority and its private key', false)
    .option('--force', 'Overwrite an existing file', false)
    .addHelpText('after', examples('backup slotwire-backup.json', 'backup --identity - > slotwire-backup.json'))
    .action((file: string, options: BackupOptions) => withUsageErrors(() => backup(file, options, context)))
}

function backup(file: string, { identity, force, ...options }: BackupOptions, context: CommandContext): void {
  const { print, hint, wallTime } = context
  const folder = stateFolderOf(options, context)
  const target = file === STANDARD ? undefined : checkedTarget(file, folder, force)
  const made = makeBackup({ folder, identity, wallTime, isTwinMemory })
  const text = formatBackup(made)
  if (target === undefined) print(text)
  else new DurableFile(target).write(text)
  const files = Object.keys(made.files)
  auditChange(context, folder, 'state.backup', { file: target ?? STANDARD, identity, files })
  hint(`Saved ${listed(files)}.\n`)
  const keys = [
    ...(files.includes('tls/authority.key') ? ['of the device’s authority: its holder can impersonate this device'] : []),
    ...(files.includes('tls/imported.pem') ? ['of the imported certificate'] : []),
  ]
  if (keys.length > 0) hint(`The backup holds the key ${keys.join(', and the key ')}. Protect it like the key itself.\n`)
}

/** Absolute path of the file to write. Throws `UsageError` if the command must not write it. */
function checkedTarget(file: string, folder: string, force: boolean): string {
  const target = resolve(file)
  const present = statSync(target, { throwIfNoEntry: false })
  if (!existsSync(dirname(target))) throw new UsageError(`the folder ${dirname(target)} does not exist: create it first`)
  if (!relative(folder, target).startsWith('..'))
    throw new UsageError(`${target} is in the state folder: save the backup elsewhere`)
  // The file is replaced, not written: a device would be gone.
  if (present?.isFile() === false) throw new UsageError(`${target} is not a file: choose another, or - for standard output`)
  if (present === undefined || force) return target
  throw new UsageError(`${target} already exists: choose another file, or overwrite it with --force`)
}

/** `2 files: settings.yaml, tokens.json` */
const listed = (paths: readonly string[]): string =>
  paths.length === 0 ? 'nothing: all settings have their defaults' : `${counted(paths.length, 'file')}: ${paths.join(', ')}`

/** `slotwire restore`. Refuses to run while a service uses the state folder. */
export function restoreCommand(context: CommandContext): Command {
  return new Command('restore')
    .description('Restore a backup; remove everything added after it')
    .argument('<file>', 'a file from slotwire backup; - for standard input')
    .addOption(stateOption())
    .option('--identity', 'Take over the identity in the backup', false)
    .addHelpText('after', examples('restore slotwire-backup.json'))
    .action((file: string, options: Options) => withUsageErrors(() => restore(file, options, context)))
}

async function restore(file: string, { identity, ...options }: Options, context: CommandContext): Promise<void> {
  const { print, hint, clock } = context
  const folder = stateFolderOf(options, context)
  const saved = parseBackup(file === STANDARD ? await context.input() : textIn(file))
  makeFolder(folder)
  const lock = lockState(folder)
  // Commands change these files while no service runs; each has its own lock.
  const locked = <Result>(name: string, work: () => Result) => withFileLock(join(folder, name), clock, work)
  const work = () => restoreBackup(saved, { folder, identity, isTwinMemory })
  const { revived, files, removed } = await locked('tokens.json', () => locked('settings.yaml', work)).finally(lock.release)
  const tokens = revived.length === 0 ? {} : { revived }
  auditChange(context, folder, 'state.restore', { file, made: saved.made, identity, files, removed, ...tokens })
  print(`Restored the backup of ${saved.made}, ${listed(files)}.\n`)
  if (removed.length > 0) print(`Removed files that are not in the backup: ${removed.join(', ')}.\n`)
  const names = revived.map((name) => JSON.stringify(name)).join(', ')
  if (names !== '')
    hint(`These tokens are valid again: ${names}. Revoke those that you do not want: slotwire token revoke <name>\n`)
  if (identity) hint('This device now has the identity in the backup: no other device in this network may use it.\n')
  else if (hasIdentity(saved)) hint('The backup also holds an identity, which was not restored: use --identity to restore it.\n')
}

/** Throws `UsageError`. */
function textIn(file: string): string {
  // A pipe may never end.
  if (orElse(undefined, () => statSync(file))?.isFile() === false)
    throw new UsageError(`${file} is not a file: write - to read standard input`)
  return textOf(file, 'backup')
}
