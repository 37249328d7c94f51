import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, messageOf } from '@slotwire/core'
import { waitForLock } from '@slotwire/network'
import {
  type Backup,
  MOST_BACKUP_BYTES,
  parseBackup,
  type RestorePlan,
  restoreBackup,
  revivedTokens,
} from '@slotwire/network/backup'
import { type FileLock, makeFolder } from '@slotwire/storage'
import { Command } from 'commander'
import { auditChange } from '../state/audit-change.ts'
import { lockState } from '../state/state-access.ts'
import { stateFolderOf, stateOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'
import { type BackupContext, counted, STANDARD } from './backup-command.ts'

interface Options {
  readonly state?: string
  readonly identity: boolean
}

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
    .action((file: string, options: Options) => withUsageErrors(() => restore(file, options, context)))
}

async function restore(file: string, { identity, ...options }: Options, context: RestoreContext): Promise<void> {
  const { print, hint, clock, input } = context
  const folder = stateFolderOf(options, context)
  const backup = parseBackup(await read(file, input))
  makeFolder(folder)
  const { plan, revived } = await withFolderLocked(folder, clock, () => {
    const names = revivedTokens(backup, folder)
    return { revived: names, plan: restoreBackup(backup, { folder, identity }) }
  })
  const { files, removed } = plan
  const tokens = revived.length === 0 ? {} : { revived }
  auditChange(context, folder, 'state.restore', { file, made: backup.made, identity, files, removed, ...tokens })
  print(`${outcome(backup, plan)}\n`)
  if (revived.length > 0) {
    const names = revived.map((name) => JSON.stringify(name)).join(', ')
    hint(`These tokens are valid again: ${names}. Revoke those that you do not want: slotwire token revoke <name>\n`)
  }
  const remark = remarkOf(backup, identity)
  if (remark !== undefined) hint(`${remark}\n`)
}

/** Throws `UsageError`. */
async function read(file: string, input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    if (file !== STANDARD && statSync(file).isFIFO()) throw new Error('it is a pipe: write - to read standard input')
    for await (const chunk of file === STANDARD ? input : createReadStream(file)) {
      const part = Buffer.from(chunk as Uint8Array)
      bytes += part.length
      if (bytes > MOST_BACKUP_BYTES) break
      chunks.push(part)
    }
  } catch (error) {
    throw new UsageError(`the backup cannot be read (${messageOf(error)}): name a file from slotwire backup`, { cause: error })
  }
  if (bytes > MOST_BACKUP_BYTES) throw new UsageError(`the backup is too large: at most ${MOST_BACKUP_BYTES} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}

function outcome({ made }: Backup, { files, removed }: RestorePlan): string {
  const restored = `Restored the backup of ${made}, ${counted(files)}.`
  return removed.length === 0 ? restored : `${restored}\nRemoved files that are not in the backup: ${removed.join(', ')}.`
}

function remarkOf(backup: Backup, identity: boolean): string | undefined {
  if (identity) return 'This device now has the identity in the backup: no other device in this network may use it.'
  return backup.identity ? 'The backup also holds an identity, which was not restored: use --identity to restore it.' : undefined
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
