import { DEFAULT_SETTINGS } from '@slotwire/gateway'
import type { Command } from 'commander'
import { jsonOption, type StateOptions, servedStateOption } from '../state/state-option.ts'
import type { SettingsOverrides } from './network-side.ts'
import { addLogOptions, collectAddress, HIGHEST_PORT, type LogOptions, wholeNumber } from './option-values.ts'

/** The options of every command that listens. Undefined: as configured. */
export interface NetworkOptions extends StateOptions, LogOptions {
  /** Port of the loopback door; 0 picks a free one, here and below. */
  readonly port?: number
  /** Addresses of the network door. */
  readonly listen?: readonly string[]
  readonly httpsPort?: number
  readonly httpPort?: number
}

/** Adds the options of `NetworkOptions` to a command. */
export function addNetworkOptions(command: Command): Command {
  const { loopbackPort, httpsPort } = DEFAULT_SETTINGS
  const port = wholeNumber(0, HIGHEST_PORT, '; 0 picks a free port')
  command
    .option('--port <number>', `Set the loopback port; 0: any (default: ${loopbackPort})`, port)
    .option('--listen <address>', 'Listen for the network at this address; repeatable', collectAddress)
    .option('--https-port <number>', `Set the HTTPS port of the network (default: ${httpsPort})`, port)
    .option('--http-port <number>', 'Also open unencrypted HTTP to the network', port)
    .addOption(servedStateOption())
  return addLogOptions(command).addOption(jsonOption())
}

/** The typed options, as settings. */
export function overridesOf({ port, listen, httpsPort, httpPort }: NetworkOptions): SettingsOverrides {
  const typed = Object.entries({ loopbackPort: port, listen, httpsPort, httpPort }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(typed)
}
