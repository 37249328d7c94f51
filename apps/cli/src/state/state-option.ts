import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { orElse } from '@slotwire/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../terminal/command-context.ts'
import { examples } from '../terminal/help.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { defaultStateFolder, MEMORY } from './state-folder.ts'

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
