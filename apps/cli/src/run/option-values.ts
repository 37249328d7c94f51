import { textOfForm } from '@slotwire/contract'
import { hostAddress, listenAddress, MAX_PORT } from '@slotwire/network'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { wholeNumber, word } from '../terminal/word.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]
const LOG_FORMATS = ['pretty', 'json'] as const

/** The options of every log. */
export interface LogOptions {
  readonly logLevel: LogLevel
  /** Undefined: `pretty` on a terminal, otherwise `json`. */
  readonly logFormat?: (typeof LOG_FORMATS)[number]
}

/** Adds the options of `LogOptions`, the same for every command that serves. */
export function addLogOptions(command: Command, defaultLevel: LogLevel = 'info'): Command {
  const level = new Option('--log-level <level>', 'Log at')
  const format = new Option('--log-format <format>', 'Log for people or programs')
  return command.addOption(level.choices(LOG_LEVELS).default(defaultLevel)).addOption(format.choices(LOG_FORMATS))
}

/** `--power-mode <mode>`, for commands that manage the power budget. */
export function powerModeOption(): Option {
  const option = new Option('--power-mode <mode>', 'Check power requests')
  return option.choices(['strict', 'weak']).default('strict')
}

/** Parser for a port: 0 picks a free one. */
export const port = wholeNumber('port', 0, MAX_PORT)

/** Parser for the path of a file, folder or socket. */
export const pathOf = (what: string): ((text: string) => string) =>
  word(
    what,
    textOfForm(`the path of a ${what}`, (text) => text.trim() !== '' && !text.includes('\0')),
  )

/** Parser for addresses to listen at: collects them, without duplicates. */
export const collectAddress = (text: string, before: readonly string[] = []): readonly string[] => [
  ...new Set([...before, word('address', listenAddress)(text)]),
]

/** Parser for one IP address. */
export const ipAddress = word('address', hostAddress)

/** Parser for names of services, separated by commas: some of `known`. */
export function serviceNames(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    const unknown = names.filter((name) => !known.includes(name)).map((name) => JSON.stringify(name))
    if (unknown.length === 0) return names
    throw new InvalidArgumentError(
      `unknown service ${unknown.join(', ')}: use one or more of ${known.join(', ')}, separated by commas.`,
    )
  }
}
