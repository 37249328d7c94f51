import { listenAddress } from '@slotwire/gateway'
import { InvalidArgumentError, Option } from 'commander'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
/** Highest TCP port there is. */
export const HIGHEST_PORT = 65_535

/** `--log-level <level>`, the same for every command that serves. */
export function logLevelOption(): Option {
  const option = new Option('--log-level <level>', 'least important lines to log, on standard error')
  return option.choices(LOG_LEVELS).default('info')
}

/** `--power-mode <mode>`, for whoever shares out the power. */
export function powerModeOption(): Option {
  const option = new Option('--power-mode <mode>', 'weak also grants more power than there is, with a warning')
  return option.choices(['strict', 'weak']).default('strict')
}

/** Reads a whole number of a range; `remark` ends the message about any other text. */
export function wholeNumber(lowest: number, highest: number, remark = ''): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= lowest && value <= highest) return value
    throw new InvalidArgumentError(`a whole number from ${lowest} to ${highest}${remark}.`)
  }
}

/** Reads the path of something. */
export function pathOf(what: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && !text.includes('\0')) return text
    throw new InvalidArgumentError(`the path of a ${what}.`)
  }
}

/** Reads addresses to listen at, one by one, each once. */
export function collectAddress(text: string, before: readonly string[] = []): readonly string[] {
  const address = listenAddress.read(text)
  if ('value' in address) return [...new Set([...before, address.value])]
  throw new InvalidArgumentError(`${address.problem}: an IP address of this machine; 0.0.0.0 and :: stand for all of them.`)
}

/** Reads names of services, separated by commas: some of those that are `known`. */
export function serviceNames(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    const unknown = names.filter((name) => !known.includes(name)).map((name) => JSON.stringify(name))
    if (unknown.length === 0) return names
    throw new InvalidArgumentError(
      `there is no service ${unknown.join(', ')}: one or more of ${known.join(', ')}, separated by commas.`,
    )
  }
}
