import type { Clock, WallTime } from '@slotwire/core'
import type { Argument, Help, Option } from 'commander'

/** What a command needs from this program. */
export interface CommandContext {
  /** Writes results on standard output. The text includes line ends. */
  readonly print: (text: string) => void
  /** Like `print`, for servers: they keep running if standard output cannot be written. */
  readonly announce: (text: string) => void
  /** Writes remarks and errors on standard error. The text includes line ends. */
  readonly hint: (text: string) => void
  /** Sets the exit code of this process. */
  readonly setExitCode: (code: number) => void
  /** Resolves at the first SIGINT or SIGTERM. */
  readonly stopped: () => Promise<unknown>
  /** Whether standard output is a terminal, and its width. */
  readonly terminal: { readonly columns: number } | undefined
  /** Asks the user yes or no; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined
  /** Reads standard input to its end. */
  readonly input: () => Promise<string>
  readonly environment: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  /** The user's home folder. Throws `UsageError` without one. */
  readonly home: () => string
  readonly clock: Clock
  readonly wallTime: WallTime
}

/** The help of every command: one line for each option, with its choices and its default. */
export const helpStyle: Partial<Help> = {
  optionDescription: lineOf,
  argumentDescription: lineOf,
  subcommandTerm: (command) => command.name(),
}

function lineOf({
  description,
  argChoices,
  defaultValue,
}: Pick<Option | Argument, 'description' | 'argChoices' | 'defaultValue'>) {
  const choices = argChoices === undefined ? '' : `: ${argChoices.join('|')}`
  const byDefault = typeof defaultValue === 'string' || typeof defaultValue === 'number' ? ` (default: ${defaultValue})` : ''
  return `${description}${choices}${byDefault}`
}

/** The end of a command's help: command lines to try, without the program's name. */
export function examples(...commandLines: readonly string[]): string {
  return `\nExamples:\n${commandLines.map((line) => `  slotwire ${line}`).join('\n')}`
}
