import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Clock, messageOf } from '@slotwire/core'
import { isTwinMemory } from '@slotwire/device/twin'
import { waitForLock } from '@slotwire/network'
import { formatBackup, makeBackup, parseBackup, restoreBackup, revivedTokens } from '@slotwire/network/backup'
import { DurableFile, type FileLock, makeFolder } from '@slotwire/storage'
import { Command } from 'commander'
import { auditChange } from '../state/audit-change.ts'
import { lockState } from '../state/state-access.ts'
import { stateFolderOf, stateOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'

interface RestoreOptions {
  readonly state?: string
  readonly identity: boolean
}

interface BackupOptions extends RestoreOptions {
  readonly force: boolean
}

/** What `slotwire backup` needs from this program. */
export interface BackupContext extends CommandContext {
  /** Version of Slotwire. */
  readonly version: string
}

/** File name that stands for standard output, or standard input. */
const STANDARD = '-'

/** `slotwire backup`. Works whether the service runs or not. */
export function backupCommand(context: BackupContext): Command {
  return new Command('backup')
    .description('Save settings, tokens and module memory to a file')
    .argument('<file>', 'the file to write; - for standard output')
    .addOption(stateOption())
    .option('--identity', 'Include machine id, authority and its private key', false)
    .option('--force', 'Overwrite an existing file', false)
    .addHelpText('after', examples('backup slotwire-backup.json', 'backup --identity - > slotwire-backup.json'))
    .action((file: string, options: BackupOptions) => withUsageErrors(() => backup(file, options, context)))
}

function backup(file: string, { identity, force, ...options }: BackupOptions, context: BackupContext): void {
  const { print, hint, version, wallTime } = context
  const folder = stateFolderOf(options, context)
  const target = file === STANDARD ? undefined : checkedTarget(file, folder, force)
  const made = makeBackup({ folder, identity, slotwire: version, wallTime, isTwinMemory })
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
  const present = statSync(target, { throwIfNoEntry: false })
  // The file is replaced, not written: a device would be gone.
  if (present?.isFile() === false) throw new UsageError(`${target} is not a file: choose another, or - for standard output`)
  if (!force && present !== undefined)
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
function counted(paths: readonly string[]): string {
  if (paths.length === 0) return 'nothing: all settings have their defaults'
  return `${paths.length} ${paths.length === 1 ? 'file' : 'files'}: ${paths.join(', ')}`
}

/** More than any device has. */
const MOST_BYTES = 8_388_608

/** What `slotwire restore` needs from this program. */
export interface RestoreContext extends Omit<BackupContext, 'version'> {
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array | string>
}

/** `slotwire restore`. Refuses to run while a service uses the state folder. */
export function restoreCommand(context: RestoreContext): Command {
  return new Command('restore')
    .description('Restore a backup; remove everything added after it')
    .argument('<file>', 'a file from slotwire backup; - for standard input')
    .addOption(stateOption())
    .option('--identity', 'Take over the identity in the backup', false)
    .addHelpText('after', examples('restore slotwire-backup.json'))
    .action((file: string, options: RestoreOptions) => withUsageErrors(() => restore(file, options, context)))
}

async function restore(file: string, { identity, ...options }: RestoreOptions, context: RestoreContext): Promise<void> {
  const { print, hint, clock, input } = context
  const folder = stateFolderOf(options, context)
  const saved = parseBackup(file === STANDARD ? await textIn(input) : textOf(file))
  makeFolder(folder)
  const { revived, files, removed } = await withFolderLocked(folder, clock, () => ({
    revived: revivedTokens(saved, folder),
    ...restoreBackup(saved, { folder, identity, isTwinMemory }),
  }))
  const tokens = revived.length === 0 ? {} : { revived }
  auditChange(context, folder, 'state.restore', { file, made: saved.made, identity, files, removed, ...tokens })
  print(`Restored the backup of ${saved.made}, ${counted(files)}.\n`)
  if (removed.length > 0) print(`Removed files that are not in the backup: ${removed.join(', ')}.\n`)
  if (revived.length > 0) {
    const names = revived.map((name) => JSON.stringify(name)).join(', ')
    hint(`These tokens are valid again: ${names}. Revoke those that you do not want: slotwire token revoke <name>\n`)
  }
  if (identity) hint('This device now has the identity in the backup: no other device in this network may use it.\n')
  else if (saved.identity) hint('The backup also holds an identity, which was not restored: use --identity to restore it.\n')
}

/** Throws `UsageError`. */
function textOf(file: string): string {
  const because = (reason: string): string => `the backup cannot be read (${reason}): name a file from slotwire backup`
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError(because('it is not a file: write - to read standard input'))
  try {
    const text = new DurableFile(file).read()
    if (text !== undefined) return text
  } catch (error) {
    throw new UsageError(because(messageOf(error)), { cause: error })
  }
  throw new UsageError(because(`${file} does not exist`))
}

async function textIn(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of input) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > MOST_BYTES) throw new UsageError(`the backup is too large: at most ${MOST_BYTES} bytes`)
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Files that commands change while no service runs. Each has its own lock. */
const CHANGED_BY_COMMANDS = ['tokens.json', 'settings.yaml']

/**
 * Runs `work` while no service uses the state folder and no command changes its files. Rejects with `UsageError` when a service runs, with
 * `OperatorError`, or with what `work` throws.
 */
async function withFolderLocked<Result>(folder: string, clock: Clock, work: () => Result): Promise<Result> {
  const locks: FileLock[] = [lockState(folder)]
  try {
    for (const name of CHANGED_BY_COMMANDS) locks.push(await waitForLock(join(folder, `${name}.lock`), clock))
    return work()
  } finally {
    for (const lock of locks.reverse()) lock.release()
  }
}
