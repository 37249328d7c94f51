import { DEFAULT_SETTINGS, listenAddress } from '@slotwire/gateway'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { stateOption } from '../state/state-option.ts'
import type { SettingsOverrides } from './network-side.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
/** Highest TCP port there is. */
export const HIGHEST_PORT = 65_535

/** What every command that listens can be told. What is undefined is as the settings say. */
export interface NetworkOptions {
  /** Undefined: the user's own. */
  readonly state?: string
  /** Of the loopback door; 0 picks a free one, here and below. */
  readonly port?: number
  /** Addresses of the network door. */
  readonly listen?: readonly string[]
  readonly httpsPort?: number
  readonly httpPort?: number
  readonly logLevel: LogLevel
  readonly json: boolean
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > HIGHEST_PORT)
    throw new InvalidArgumentError(`a whole number from 0 to ${HIGHEST_PORT}; 0 picks a free port.`)
  return port
}

function collectAddress(text: string, before: readonly string[] = []): readonly string[] {
  const address = listenAddress.read(text)
  if ('problem' in address)
    throw new InvalidArgumentError(`${address.problem}: an IP address of this machine; 0.0.0.0 and :: stand for all of them.`)
  return [...before, address.value]
}

/** Adds the options of `NetworkOptions` to a command. */
export function addNetworkOptions(command: Command): Command {
  const { loopbackPort, httpsPort } = DEFAULT_SETTINGS
  const levels = new Option('--log-level <level>', 'least important lines to log, on standard error')
  return command
    .option('--port <number>', `TCP port for this machine; 0 picks a free one (default: ${loopbackPort})`, parsePort)
    .option('--listen <address>', 'let the network in here, with tokens; more than once, or 0.0.0.0 for all', collectAddress)
    .option('--https-port <number>', `port for the network (default: ${httpsPort})`, parsePort)
    .option('--http-port <number>', 'plain HTTP for the network as well: anybody on the way can read the tokens', parsePort)
    .addOption(stateOption())
    .addOption(levels.choices(LOG_LEVELS).default('info'))
    .option('--json', 'print one line of JSON for programs instead of text', false)
    .allowExcessArguments(false)
}

/** What was typed. */
export function overridesOf({
  port,
  listen,
  httpsPort,
  httpPort,
}: Pick<NetworkOptions, 'port' | 'listen' | 'httpsPort' | 'httpPort'>): SettingsOverrides {
  return {
    ...(port === undefined ? {} : { loopbackPort: port }),
    ...(listen === undefined ? {} : { listen }),
    ...(httpsPort === undefined ? {} : { httpsPort }),
    ...(httpPort === undefined ? {} : { httpPort }),
  }
}
