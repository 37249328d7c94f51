import { accessSync, constants, readdirSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { codeOf, messageOf } from '@slotwire/core'
import { makeFolder } from '@slotwire/storage'
import { REMEDIES } from '../terminal/as-usage-error.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** The word for a state folder that is deleted when its service ends. */
export const MEMORY = 'memory'

/** The files of `memoryPath`, including temporary ones. */
const MEMORY_FILE = /^slot-\d+\.json(\.next)?$/

/** The default state folder: `SLOTWIRE_STATE`, or the operating system's place for the user's state. */
export function defaultStateFolder(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv, home: () => string): string {
  const named = environment['SLOTWIRE_STATE']
  if (named === MEMORY)
    throw new UsageError(`SLOTWIRE_STATE is ${MEMORY}: write the path of a folder there, or use --state ${MEMORY}`)
  if (named !== undefined && named !== '') return named
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(home(), 'AppData', 'Local'), 'slotwire')
  if (platform === 'darwin') return join(home(), 'Library', 'Application Support', 'slotwire')
  // The XDG Base Directory Specification says to ignore a relative path.
  const xdgFolder = environment['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(xdgFolder) ? xdgFolder : join(home(), '.local', 'state'), 'slotwire')
}

/** Folder of the virtual modules' non-volatile memory. */
function twinFolder(state: string): string {
  return join(state, 'twin')
}

/** The file of one slot's non-volatile memory. */
export function memoryPath(state: string, slot: number): string {
  return join(twinFolder(state), `slot-${slot}.json`)
}

/**
 * Creates the folder, readable only by its owner. In another user's folder, root creates it for that user. Throws `UsageError` if it is not
 * writable.
 */
export function openStateFolder(state: string): void {
  openFolder(state, state)
}

/** Creates the folder for the memory of virtual modules, in the same way. */
export function openTwinFolder(state: string): void {
  openFolder(state, twinFolder(state))
}

/** Runs `write`, which writes in the folder. Throws `UsageError` for errors of the system: the disk may be full. */
export function withWriteErrors<Result>(state: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw notWritable(state, error, REMEDIES[codeOf(error) ?? ''] ?? 'choose another with --state <dir>')
  }
}

function openFolder(state: string, folder: string): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(state, error, 'choose another with --state <dir>')
  }
}

function notWritable(state: string, error: unknown, remedy: string): UsageError {
  return new UsageError(`the state folder ${state} cannot be written (${messageOf(error)}): ${remedy}`, { cause: error })
}

/** Erases the saved state of the virtual modules. Keeps all other files in the folder. */
export function resetState(state: string): void {
  const folder = twinFolder(state)
  for (const name of readdirSync(folder)) if (MEMORY_FILE.test(name)) rmSync(join(folder, name))
}
