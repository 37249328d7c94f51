import { isIP } from 'node:net'
import { DEFAULT_SETTINGS } from '@slotwire/gateway'
import { Command, InvalidArgumentError, Option } from 'commander'
import { stateOption } from './state-option.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
const HIGHEST_PORT = 65_535

/** What `slotwire serve` was told, checked. */
export interface ServeOptions {
  /** 0 picks a free one; undefined: what the settings say. */
  readonly port?: number
  /** Addresses of the network door; undefined: what the settings say. */
  readonly listen?: readonly string[]
  /** 0 picks a free one; undefined: what the settings say. */
  readonly httpsPort?: number
  /** Likewise. */
  readonly httpPort?: number
  /** Undefined: the user's own. */
  readonly state?: string
  readonly resetState: boolean
  readonly services: readonly string[]
  readonly powerMode: 'strict' | 'weak'
  readonly bus: 'instant' | 'timed'
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly json: boolean
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > HIGHEST_PORT)
    throw new InvalidArgumentError(`a whole number from 0 to ${HIGHEST_PORT}; 0 picks a free port.`)
  return port
}

function collectAddress(text: string, before: readonly string[] = []): readonly string[] {
  if (isIP(text) === 0) throw new InvalidArgumentError('an IP address of this machine; 0.0.0.0 and :: stand for all of them.')
  return [...before, text]
}

function parseServices(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim())
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new InvalidArgumentError(`one or more of ${known.join(', ')}, separated by commas.`)
    return [...new Set(names)]
  }
}

/** The `serve` command with its options; `known` are the services there are. */
export function serveCommand(known: readonly string[], run: (options: ServeOptions) => Promise<void>): Command {
  return new Command('serve')
    .description('serve a virtual device: to this machine without credentials, to the network if told to, with tokens')
    .option(
      '--port <number>',
      `TCP port for this machine; 0 picks a free one (default: ${DEFAULT_SETTINGS.loopbackPort})`,
      parsePort,
    )
    .option(
      '--listen <address>',
      'let the network in at this address, with tokens; more than once, or 0.0.0.0 for all',
      collectAddress,
    )
    .option('--https-port <number>', `port for the network (default: ${DEFAULT_SETTINGS.httpsPort})`, parsePort)
    .option(
      '--http-port <number>',
      'also plain HTTP for the network at this port, with tokens that everybody on the way can read',
      parsePort,
    )
    .addOption(stateOption())
    .option('--reset-state', 'forget what the modules have saved', false)
    .option('--services <names>', `which of ${known.join(', ')} to serve, separated by commas`, parseServices(known), known)
    .addOption(
      new Option('--power-mode <mode>', 'weak also grants more power than there is, with a warning')
        .choices(['strict', 'weak'])
        .default('strict'),
    )
    .addOption(new Option('--bus <mode>', 'timed takes as long as the real bus').choices(['instant', 'timed']).default('instant'))
    .addOption(
      new Option('--log-level <level>', 'least important lines to log, on standard error').choices(LOG_LEVELS).default('info'),
    )
    .option('--json', 'print one line of JSON for programs instead of text', false)
    .allowExcessArguments(false)
    .action(async (options: ServeOptions) => run(options))
}
