import type { Command, Option } from 'commander'

/** A word that can be typed, with its description. */
export interface Word {
  readonly word: string
  readonly about: string
}

/** What can follow a command, or the program itself. */
export interface CompletedCommand {
  /** The words of the command: `token create`; empty for the program. */
  readonly path: string
  readonly subcommands: readonly Word[]
  readonly options: readonly CompletedOption[]
  /** Choices of its first argument. */
  readonly argument: readonly Word[]
  /** What its first argument names on the user's device or in the saved contexts: the shell asks `slotwire devices --complete`. */
  readonly live?: Live | undefined
}

/** Words that only the device, or the user's file of contexts, knows. */
export const LIVE = ['pins', 'slots', 'contexts'] as const
type Live = (typeof LIVE)[number]
/** By the name of the argument; `name` is one of a context. */
const LIVE_ARGUMENTS: Readonly<Record<string, Live>> = { pin: 'pins', pins: 'pins', slot: 'slots', slots: 'slots' }

export interface CompletedOption {
  /** All its spellings, the longest last. */
  readonly flags: readonly string[]
  readonly about: string
  readonly takesValue: boolean
  /** Its choices; without choices any value, or a file. */
  readonly choices: readonly string[]
}

/** Every command of a program with its options, from their declarations. Hidden ones are left out. */
export function completedCommands(command: Command, path = ''): readonly CompletedCommand[] {
  const help = command.createHelp()
  const own = help.visibleCommands(command)
  const isGroup = command.commands.length > 0
  const subcommands = own.map((each) => ({ word: each.name(), about: each.description() }))
  const [first] = command.registeredArguments
  const completed: CompletedCommand = {
    path,
    subcommands,
    options: help.visibleOptions(command).map(optionOf),
    argument: isGroup ? [] : wordsOf(first?.argChoices ?? []),
    live: liveOf(first?.name(), path),
  }
  const isHelp = (each: Command): boolean => !command.commands.includes(each)
  const names = subcommands.filter(({ word }) => word !== 'help')
  return [
    completed,
    ...own.flatMap((each) => {
      const inner = path === '' ? each.name() : `${path} ${each.name()}`
      if (isHelp(each)) return [{ path: inner, subcommands: [], options: [], argument: names }]
      return completedCommands(each, inner)
    }),
  ]
}

const liveOf = (argument: string | undefined, path: string): Live | undefined =>
  /^context (use|remove)$/.test(path) ? 'contexts' : LIVE_ARGUMENTS[argument ?? '']

const wordsOf = (choices: readonly string[]): readonly Word[] => choices.map((word) => ({ word, about: '' }))

function optionOf({ short, long, description, required, optional, argChoices = [] }: Option): CompletedOption {
  const flags = [short, long].filter((flag) => flag !== undefined)
  return { flags, about: description, takesValue: required || optional, choices: argChoices }
}
