import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DurableFile, makeFolder, syncFolder } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'
import { LAST_GOOD_FILE } from '../settings/read-settings-file.ts'
import type { BackupFile } from './backup-document.ts'
import { STATE_FOLDERS, stateFileOf } from './state-files.ts'

/** What is to be restored lies here, in the state folder, until it is in its place. */
const STAGE = 'restore.next'
/** In there: what is to be done. From the moment that it is there the restore counts, and only goes forward. */
const PLAN = 'plan.json'

/** Paths of files to put in place, and of files to remove. */
export interface RestorePlan {
  readonly files: readonly string[]
  readonly removed: readonly string[]
}

const planFile = (folder: string) => new DurableFile(join(folder, STAGE, PLAN))

/** Throws `OperatorError` where a restore counts, and was interrupted: what is there is neither the old state nor the new one. */
export function assertNotRestoring(folder: string): void {
  if (!existsSync(planFile(folder).path)) return
  throw new OperatorError(`a restore into ${folder} was interrupted: start the service, which completes it, or restore again`)
}

/** Writes what is to be restored beside what is there, and returns where; nothing counts yet. Throws the system's error. */
export function stage(folder: string, files: readonly BackupFile[]): string {
  discard(folder)
  const staged = join(folder, STAGE)
  for (const { path, mode, text } of files) new DurableFile(join(staged, path), { mode }).write(text)
  return staged
}

/** Forgets what was staged and does not count. */
export function discard(folder: string): void {
  rmSync(join(folder, STAGE), { recursive: true, force: true })
}

/** Makes what is staged count, and puts it in place. Throws `OperatorError` before that; the system's error also after it. */
export function commit(folder: string, plan: RestorePlan): void {
  for (const path of [...plan.files, ...plan.removed]) {
    const isFolder = lstatSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() ?? false
    if (isFolder) throw new OperatorError(`${join(folder, path)} is a folder: remove it`)
  }
  // After this nothing needs room on the disk any more.
  for (const inner of STATE_FOLDERS) if (plan.files.some((path) => path.startsWith(`${inner}/`))) makeFolder(join(folder, inner))
  planFile(folder).write(`${JSON.stringify(plan, undefined, 2)}\n`)
  carryOut(folder, plan)
}

/**
 * Completes a restore that was interrupted, and forgets one that never counted. Returns what was done; undefined: nothing. For whoever has
 * locked the folder, before anything in it is read. Throws `OperatorError`, or the system's error.
 */
export function completeRestore(folder: string): RestorePlan | undefined {
  const plan = readPlan(folder)
  if (plan === undefined) discard(folder)
  else carryOut(folder, plan)
  return plan
}

function readPlan(folder: string): RestorePlan | undefined {
  const text = planFile(folder).read()
  if (text === undefined) return undefined
  const plan = planIn(text)
  if (plan === undefined) throw lost(folder, `${join(STAGE, PLAN)} is damaged`)
  return plan
}

function planIn(text: string): RestorePlan | undefined {
  try {
    const { files, removed } = JSON.parse(text) as Partial<Record<keyof RestorePlan, unknown>>
    return isPaths(files) && isPaths(removed) ? { files, removed } : undefined
  } catch {
    return undefined
  }
}

/** Nothing else is ever moved or removed, whatever a plan says. */
function isPaths(value: unknown): value is readonly string[] {
  const isOurs = (path: unknown) => typeof path === 'string' && (path === LAST_GOOD_FILE || stateFileOf(path) !== undefined)
  return Array.isArray(value) && value.every(isOurs)
}

/** Can be done again from any point at which it was interrupted. */
function carryOut(folder: string, { files, removed }: RestorePlan): void {
  for (const path of files) {
    const [staged, target] = [join(folder, STAGE, path), join(folder, path)]
    if (existsSync(staged)) renameSync(staged, target)
    else if (!existsSync(target)) throw lost(folder, `${path} is missing`)
  }
  for (const path of removed) rmSync(join(folder, path), { force: true })
  for (const changed of [folder, ...STATE_FOLDERS.map((inner) => join(folder, inner))]) syncFolder(changed)
  // The plan first: without it, what is left is nothing that counts.
  planFile(folder).remove()
  discard(folder)
}

function lost(folder: string, fault: string): OperatorError {
  return new OperatorError(
    `the restore into ${folder} was interrupted and cannot be completed, ${fault}: remove ${join(folder, STAGE)}, and restore again`,
  )
}
