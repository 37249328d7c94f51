import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { codeOf, messageOf, orElse } from '@slotwire/core'
import { makeFolder } from '@slotwire/storage'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { REMEDIES, UsageError } from '../terminal/usage-error.ts'

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

/** The user's home folder: HOME, or the system's entry. Throws `UsageError` if neither is an absolute path. */
export function homeFolder(): string {
  // The system may not have this user.
  const folders = [homedir, () => userInfo().homedir].map((ask) => orElse('', ask))
  const home = folders.find((folder) => isAbsolute(folder))
  if (home !== undefined) return home
  throw new UsageError(
    'no home folder for the state (HOME is not an absolute path, and the system has none): name a folder with --state <dir>',
  )
}

/** Files in memory, where the machine has that. */
const MEMORY_FOLDER = '/dev/shm'

/** A new, empty state folder that is deleted when this process ends. After SIGKILL it stays until the machine restarts. */
export function throwAwayFolder(): string {
  const folder = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'slotwire-memory-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Options of nearly every command. */
export interface StateOptions {
  /** Undefined: the default folder of the user. */
  readonly state?: string
  readonly json: boolean
}

/** `--state <dir>`, the same for every command that does not serve. */
export function stateOption(): Option {
  return new Option('--state <dir>', 'Use this state folder (default: $SLOTWIRE_STATE)').argParser((text: string) => {
    if (text === MEMORY) throw new InvalidArgumentError('write the path of a folder, which the service prints at its start.')
    return stateText(text)
  })
}

/** `--state <dir>` of a command that serves: also `memory`. */
export function servedStateOption(): Option {
  const about = 'Use this folder or memory (default: $SLOTWIRE_STATE)'
  return new Option('--state <dir>', about).argParser(stateText)
}

function stateText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('write the path of a folder.')
  return text
}

/** `--json`, the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'Print one line of JSON instead of text').default(false)
}

/** Adds a command with `StateOptions` to another. `lines` are the examples in its help. */
export function addStateCommand(parent: Command, name: string, description: string, ...lines: readonly string[]): Command {
  const command = parent
    .command(name)
    .description(description)
    .addHelpText('after', examples(...lines))
  return command.addOption(stateOption()).addOption(jsonOption())
}

/** Absolute path of the chosen state folder. */
export function stateFolderOf(
  { state }: { readonly state?: string | undefined },
  { platform, environment, home }: Pick<CommandContext, 'platform' | 'environment' | 'home'>,
): string {
  const folder = resolve(state ?? defaultStateFolder(platform, environment, home))
  const isFolder = orElse(undefined, () => statSync(folder, { throwIfNoEntry: false })?.isDirectory())
  if (isFolder === false) throw new UsageError(`the state folder ${folder} is a file: name a folder with --state <dir>`)
  return folder
}
