import { isIP } from 'node:net'
import { fromText, integer, mistake, type Schema, type ValueOf } from '@slotwire/contract'
import { listenAddress } from '@slotwire/network'
import { type Command, InvalidArgumentError, Option } from 'commander'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]
const LOG_FORMATS = ['pretty', 'json'] as const

/** The options of every log. */
export interface LogOptions {
  readonly logLevel: LogLevel
  /** Undefined: `pretty` on a terminal, otherwise `json`. */
  readonly logFormat?: (typeof LOG_FORMATS)[number]
}

/** Highest TCP port. */
export const HIGHEST_PORT = 65_535

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

/** The value of a schema in a word. Throws `InvalidArgumentError` with the sentence that JSON gets for the same mistake. */
export function valueOf<Of extends Schema>(name: string, schema: Of, text: string): ValueOf<Of> {
  const value = fromText(text, schema)
  const problem = mistake(schema, value, name)
  if (problem === undefined) return value as ValueOf<Of>
  throw new InvalidArgumentError(`${problem}.`)
}

/** Parser for a whole number in a range; `unit` is its unit. */
export function wholeNumber(name: string, min: number, max: number, unit?: string): (text: string) => number {
  const schema = integer({ min, max, unit })
  return (text) => valueOf(name, schema, text)
}

/** Parser for a port: 0 picks a free one. */
export const port = wholeNumber('port', 0, HIGHEST_PORT)

/** Parser for the path of a file, folder or socket. */
export function pathOf(what: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && !text.includes('\0')) return text
    throw new InvalidArgumentError(`write the path of a ${what}.`)
  }
}

/** Parser for addresses to listen at: collects them, without duplicates. */
export function collectAddress(text: string, before: readonly string[] = []): readonly string[] {
  const address = listenAddress.read(text)
  if ('value' in address) return [...new Set([...before, address.value])]
  throw new InvalidArgumentError(`${address.problem}, of this machine; 0.0.0.0 and :: mean all of them.`)
}

/** Parser for one IP address. */
export function ipAddress(text: string): string {
  if (isIP(text) !== 0 && /[1-9a-f]/i.test(text)) return text
  throw new InvalidArgumentError('write the IP address of one machine.')
}

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
