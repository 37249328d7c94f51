import { MAX_SCLK_KHZ, MIN_SCLK_KHZ } from '@slotwire/driver'
import { DEFAULT_SETTINGS } from '@slotwire/network'
import { Command, Option } from 'commander'
import type { SettingsOverrides } from '../run/network-side.ts'
import {
  addLogOptions,
  collectAddress,
  ipAddress,
  type LogOptions,
  pathOf,
  port,
  powerModeOption,
  serviceNames,
} from '../run/option-values.ts'
import { jsonOption, type StateOptions, servedStateOption } from '../state/state-folder.ts'
import { examples } from '../terminal/command-context.ts'
import { wholeNumber } from '../terminal/word.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES, type HardwareOptions } from './hardware.ts'

/** The options of `slotwire serve`, checked. Undefined: as configured. */
export interface ServeOptions extends StateOptions, LogOptions, HardwareOptions {
  /** Port of the loopback door; 0 picks a free one, here and below. */
  readonly port?: number
  /** Addresses of the network door. */
  readonly listen?: readonly string[]
  readonly httpsPort?: number
  readonly httpPort?: number
  /** Socket of the device's power manager; undefined: the default one, if it exists. */
  readonly powerManager?: string
  /** Highest bus clock, in kHz; undefined: the maximum of each module. */
  readonly sclkCap?: number
  readonly services: readonly string[]
  readonly powerMode: 'strict' | 'weak'
  /** Whether the bench API is served. */
  readonly bench: boolean
  /** Publishes this device although another program does. */
  readonly takeOver?: boolean
}

/** Most virtual devices in one process. */
export const MAX_TWINS = 1000

/** The `serve` command with its options; `known` are the names of all module services. */
export function serveCommand(known: readonly string[], run: (options: ServeOptions) => Promise<void>): Command {
  const sclkCap = wholeNumber('bus clock', MIN_SCLK_KHZ, MAX_SCLK_KHZ, 'kHz')
  const bus = new Option('--bus <mode>', 'Set virtual bus timing')
  const benchFrom = new Option('--bench-from <address>', 'Allow this network address the bench API')
  const hardware = new Option('--hardware <kind>', 'Select modules')
  const { loopbackPort, httpsPort } = DEFAULT_SETTINGS
  const command = new Command('serve')
    .description('Serve the modules of this device, or a virtual device')
    .option('--port <number>', `Set the loopback port; 0: any (default: ${loopbackPort})`, port)
    .option('--listen <address>', 'Listen for the network at this address; repeatable', collectAddress)
    .option('--https-port <number>', `Set the HTTPS port of the network (default: ${httpsPort})`, port)
    .option('--http-port <number>', 'Also open unencrypted HTTP to the network', port)
    .addOption(servedStateOption())
  return addLogOptions(command)
    .addOption(jsonOption())
    .addOption(hardware.choices(HARDWARE_CHOICES).default('auto'))
    .option('--sys-root <folder>', `Use this folder as /sys (default: ${DEFAULT_SYS_ROOT})`, pathOf('folder'))
    .option('--dev-root <folder>', `Use this folder as /dev (default: ${DEFAULT_DEV_ROOT})`, pathOf('folder'))
    .option('--power-manager <socket>', 'Ask the power manager at this socket for power', pathOf('socket'))
    .option('--sclk-cap <kHz>', 'Limit the bus clock, in kHz', sclkCap)
    .option('--reset-state', 'Erase the saved state of virtual modules', false)
    .option('--services <names>', `Serve only some of ${known.join()}`, serviceNames(known), known)
    .addOption(powerModeOption())
    .addOption(bus.choices(['instant', 'timed']))
    .option('--rig <file>', 'Start the virtual device with this rig', pathOf('file'))
    .option('--no-bench', 'Disable the bench API (wiring, faults, time)')
    .addOption(benchFrom.argParser(ipAddress).conflicts('bench'))
    .option('--take-over', 'Publish this device although another program does')
    .option('--twins <number>', `Serve 1 to ${MAX_TWINS} virtual devices, for load tests`, wholeNumber('number', 1, MAX_TWINS))
    .addHelpText('after', examples('serve', 'serve --hardware twin --port 8081', 'serve --listen 0.0.0.0 --services io,bmc'))
    .action((options: ServeOptions) => run(options))
}

/** The typed options, as settings. */
export function overridesOf({ port: loopbackPort, listen, httpsPort, httpPort }: ServeOptions): SettingsOverrides {
  const typed = Object.entries({ loopbackPort, listen, httpsPort, httpPort }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(typed)
}
