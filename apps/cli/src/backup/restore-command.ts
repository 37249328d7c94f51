import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@slotwire/core'
import { waitForLock } from '@slotwire/gateway'
import {
  type Backup,
  MOST_BACKUP_BYTES,
  parseBackup,
  type RestorePlan,
  restoreBackup,
  revivedTokens,
} from '@slotwire/gateway/backup'
import { type FileLock, makeFolder } from '@slotwire/storage'
import { Command } from 'commander'
import { auditChange } from '../state/audit-change.ts'
import { lockState } from '../state/state-lock.ts'
import { stateFolderOf, stateOption } from '../state/state-option.ts'
import { withUsageErrors } from '../terminal/as-usage-error.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { type BackupContext, counted, STANDARD } from './backup-command.ts'

interface Options {
  readonly state?: string
  readonly identity: boolean
}

/** What a restore has of its surroundings. */
export interface RestoreContext extends Omit<BackupContext, 'version'> {
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array | string>
}

/** `slotwire restore`. Only while no service uses the state folder. */
export function restoreCommand(context: RestoreContext): Command {
  return new Command('restore')
    .description('give a device the state of a backup; what came later is removed')
    .argument('<file>', 'what slotwire backup has written; - is standard input')
    .addOption(stateOption())
    .option('--identity', 'also who the device is: it becomes the one of the backup', false)
    .action((file: string, options: Options) => withUsageErrors(() => restore(file, options, context)))
}

async function restore(file: string, { identity, ...options }: Options, context: RestoreContext): Promise<void> {
  const { print, hint, services, clock, input } = context
  const folder = stateFolderOf(options, context)
  const backup = parseBackup(await read(file, input))
  makeFolder(folder)
  const { plan, revived } = await withFolderLocked(folder, clock, () => {
    const names = revivedTokens(backup, folder)
    return { revived: names, plan: restoreBackup(backup, { folder, identity, services }) }
  })
  const { files, removed } = plan
  const brought = revived.length === 0 ? {} : { revived }
  auditChange(context, folder, 'state.restore', { file, made: backup.made, identity, files, removed, ...brought })
  print(`${outcome(backup, plan)}\n`)
  if (revived.length > 0) {
    const names = revived.map((name) => JSON.stringify(name)).join(', ')
    hint(
      `These tokens were not there and let clients in again: ${names}. Revoke what you do not want: slotwire token revoke <name>\n`,
    )
  }
  const remark = remarkOf(backup, identity)
  if (remark !== undefined) hint(`${remark}\n`)
}

/** Throws `UsageError`. */
async function read(file: string, input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of file === STANDARD ? input : createReadStream(file)) {
      const part = Buffer.from(chunk as Uint8Array)
      bytes += part.length
      if (bytes > MOST_BACKUP_BYTES) break
      chunks.push(part)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`the backup cannot be read (${reason}): name a file that slotwire backup has written`, { cause: error })
  }
  if (bytes > MOST_BACKUP_BYTES) throw new UsageError(`the backup is too large: at most ${MOST_BACKUP_BYTES} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}

function outcome({ made }: Backup, { files, removed }: RestorePlan): string {
  const restored = `Restored, as of ${made}, ${counted(files)}.`
  return removed.length === 0 ? restored : `${restored}\nRemoved what came later: ${removed.join(', ')}.`
}

function remarkOf(backup: Backup, identity: boolean): string | undefined {
  if (identity) return 'This device is the one of the backup now: no other may use the same identity in this network.'
  return backup.identity ? 'The backup also holds an identity, which was left out: --identity takes it over.' : undefined
}

/** Files that commands change while no service runs: each has a lock of its own. */
const CHANGED_BY_COMMANDS = ['tokens.json', 'settings.yaml']

/**
 * Does what replaces the files of a state folder, while no service uses it and no command changes one of them. Rejects with `UsageError` when
 * a service runs, with `OperatorError`, or with what `work` throws.
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
