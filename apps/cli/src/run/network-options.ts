import { DEFAULT_SETTINGS } from '@slotwire/gateway'
import type { Command } from 'commander'
import { jsonOption, type StateOptions, stateOption } from '../state/state-option.ts'
import type { SettingsOverrides } from './network-side.ts'
import { collectAddress, HIGHEST_PORT, type LogLevel, logLevelOption, wholeNumber } from './option-values.ts'

/** What every command that listens can be told. What is undefined is as the settings say. */
export interface NetworkOptions extends StateOptions {
  /** Of the loopback door; 0 picks a free one, here and below. */
  readonly port?: number
  /** Addresses of the network door. */
  readonly listen?: readonly string[]
  readonly httpsPort?: number
  readonly httpPort?: number
  readonly logLevel: LogLevel
}

/** Adds the options of `NetworkOptions` to a command. */
export function addNetworkOptions(command: Command): Command {
  const { loopbackPort, httpsPort } = DEFAULT_SETTINGS
  const port = wholeNumber(0, HIGHEST_PORT, '; 0 picks a free port')
  return command
    .option('--port <number>', `TCP port for this machine; 0 picks a free one (default: ${loopbackPort})`, port)
    .option('--listen <address>', 'let the network in here, with tokens; more than once, or 0.0.0.0 for all', collectAddress)
    .option('--https-port <number>', `port for the network (default: ${httpsPort})`, port)
    .option('--http-port <number>', 'plain HTTP for the network as well: anybody on the way can read the tokens', port)
    .addOption(stateOption())
    .addOption(logLevelOption())
    .addOption(jsonOption())
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
