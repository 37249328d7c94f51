import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../terminal/command-context.ts'
import { defaultStateFolder } from './state-folder.ts'

/** `--state <dir>`, the same for every command. */
export function stateOption(): Option {
  return new Option('--state <dir>', 'folder for all that lasts (default: $SLOTWIRE_STATE, or one per user)').argParser(
    (text: string) => {
      if (text.trim() === '') throw new InvalidArgumentError('the path of a folder.')
      return text
    },
  )
}

/** The folder that is meant, as a whole path. */
export function stateFolderOf(
  { state }: { readonly state?: string | undefined },
  { platform, environment, home }: Pick<CommandContext, 'platform' | 'environment' | 'home'>,
): string {
  return resolve(state ?? defaultStateFolder(platform, environment, home))
}
