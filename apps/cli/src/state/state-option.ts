import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../terminal/command-context.ts'
import { defaultStateFolder } from './state-folder.ts'

/** What nearly every command can be told. */
export interface StateOptions {
  /** Undefined: the user's own. */
  readonly state?: string
  readonly json: boolean
}

/** `--state <dir>`, the same for every command. */
export function stateOption(): Option {
  return new Option('--state <dir>', 'folder for all that lasts (default: $SLOTWIRE_STATE, or one per user)').argParser(
    (text: string) => {
      if (text.trim() === '') throw new InvalidArgumentError('the path of a folder.')
      return text
    },
  )
}

/** `--json`, the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'print one line of JSON for programs instead of text').default(false)
}

/** Adds a command with `StateOptions` to another. */
export function addStateCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).addOption(stateOption()).addOption(jsonOption())
}

/** The folder that is meant, as a whole path. */
export function stateFolderOf(
  { state }: { readonly state?: string | undefined },
  { platform, environment, home }: Pick<CommandContext, 'platform' | 'environment' | 'home'>,
): string {
  return resolve(state ?? defaultStateFolder(platform, environment, home))
}
