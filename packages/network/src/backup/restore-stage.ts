import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { orElse } from '@slotwire/core'
import { DurableFile, makeFolder, syncFolder } from '@slotwire/storage'
import { OperatorError } from '../operator-error.ts'
import { LAST_GOOD_FILE } from '../settings/read-settings-file.ts'
import type { BackupFile } from './backup-document.ts'
import { STATE_FOLDERS, stateFileOf } from './state-files.ts'

/** Folder inside the state folder that holds files to restore until they are moved into place. */
const STAGE = 'restore.next'
/** Plan inside that folder. Once it exists, the restore is committed and can only be completed. */
const PLAN = 'plan.json'

/** Paths of files to put in place, and of files to remove. */
export interface RestorePlan {
  readonly files: readonly string[]
  readonly removed: readonly string[]
}

const planFile = (folder: string) => new DurableFile(join(folder, STAGE, PLAN))

/** Throws `OperatorError` if a committed restore was interrupted: the folder holds a mix of old and new files. */
export function assertNotRestoring(folder: string): void {
  if (!existsSync(planFile(folder).path)) return
  throw new OperatorError(`a restore into ${folder} was interrupted: start the service, which completes it, or restore again`)
}

/** Writes the files to restore into the stage and returns its path; nothing is committed yet. Throws the system's error. */
export function stage(folder: string, files: readonly BackupFile[]): string {
  discard(folder)
  const staged = join(folder, STAGE)
  for (const { path, mode, text } of files) new DurableFile(join(staged, path), { mode }).write(text)
  return staged
}

/** Removes a stage that is not committed. */
export function discard(folder: string): void {
  rmSync(join(folder, STAGE), { recursive: true, force: true })
}

/** Commits the stage and moves its files into place. Throws `OperatorError` before the commit, the system's error also after it. */
export function commit(folder: string, plan: RestorePlan): void {
  for (const path of [...plan.files, ...plan.removed]) {
    const isFolder = lstatSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() ?? false
    if (isFolder) throw new OperatorError(`${join(folder, path)} is a folder: remove it`)
  }
  // After this, no step needs disk space.
  for (const inner of STATE_FOLDERS) if (plan.files.some((path) => path.startsWith(`${inner}/`))) makeFolder(join(folder, inner))
  planFile(folder).write(`${JSON.stringify(plan, undefined, 2)}\n`)
  carryOut(folder, plan)
}

/**
 * Completes a committed restore that was interrupted, or discards an uncommitted stage. Returns the completed plan, or undefined. The
 * caller must have locked the folder, and must call this before it reads files. Throws `OperatorError`, or the system's error.
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
  const plan = orElse(undefined, () => planIn(text))
  if (plan === undefined) throw lost(folder, `${join(STAGE, PLAN)} is damaged`)
  return plan
}

function planIn(text: string): RestorePlan | undefined {
  const { files, removed } = JSON.parse(text) as Partial<Record<keyof RestorePlan, unknown>>
  return isPaths(files) && isPaths(removed) ? { files, removed } : undefined
}

/** Refuses other paths: only state files may be moved or removed. */
function isPaths(value: unknown): value is readonly string[] {
  const isOurs = (path: unknown) => typeof path === 'string' && (path === LAST_GOOD_FILE || stateFileOf(path) !== undefined)
  return Array.isArray(value) && value.every(isOurs)
}

/** Can be repeated after an interruption at any point. */
function carryOut(folder: string, { files, removed }: RestorePlan): void {
  for (const path of files) {
    const [staged, target] = [join(folder, STAGE, path), join(folder, path)]
    if (existsSync(staged)) renameSync(staged, target)
    else if (!existsSync(target)) throw lost(folder, `${path} is missing`)
  }
  for (const path of removed) rmSync(join(folder, path), { force: true })
  for (const changed of [folder, ...STATE_FOLDERS.map((inner) => join(folder, inner))]) syncFolder(changed)
  // Remove the plan first: without it the rest of the stage is meaningless.
  planFile(folder).remove()
  discard(folder)
}

function lost(folder: string, fault: string): OperatorError {
  return new OperatorError(
    `the restore into ${folder} was interrupted and cannot be completed, ${fault}: remove ${join(folder, STAGE)}, and restore again`,
  )
}
