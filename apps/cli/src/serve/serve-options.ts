import { MAX_SCLK_KHZ, MIN_SCLK_KHZ } from '@slotwire/driver'
import { Command, Option } from 'commander'
import { addNetworkOptions, type NetworkOptions } from '../run/network-options.ts'
import { pathOf, powerModeOption, serviceNames, wholeNumber } from '../run/option-values.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, HARDWARE_CHOICES, type HardwareOptions } from './hardware.ts'

/** What `slotwire serve` was told, checked. */
export interface ServeOptions extends NetworkOptions, HardwareOptions {
  /** Socket of the device's power manager; undefined: the usual one, where it exists. */
  readonly powerManager?: string
  /** Fastest bus clock to use, in kHz; undefined: as fast as each module can. */
  readonly sclkCap?: number
  readonly services: readonly string[]
  readonly powerMode: 'strict' | 'weak'
  /** Whether the bench can be reached over HTTP. */
  readonly bench: boolean
}

/** Most devices that one process serves. */
export const MOST_TWINS = 1000

const POWER_MANAGER_HELP =
  'ask the power manager at this Unix socket for power (default: on a device the one in /run/power-mgmt, where there is one)'

/** The `serve` command with its options; `known` are the services there are. */
export function serveCommand(known: readonly string[], run: (options: ServeOptions) => Promise<void>): Command {
  const sclkCap = wholeNumber(MIN_SCLK_KHZ, MAX_SCLK_KHZ, ' kHz')
  const bus = new Option('--bus <mode>', 'of a virtual device: timed takes as long as the real bus (default: instant)')
  const hardware = new Option(
    '--hardware <which>',
    'the modules behind the kernel driver of this device, a virtual device, or what there is: auto',
  )
  return addNetworkOptions(new Command('serve'))
    .description(
      'serve this device, or a virtual one: to this machine without credentials, to the network if told to, with tokens',
    )
    .addOption(hardware.choices(HARDWARE_CHOICES).default('auto'))
    .option('--sys-root <folder>', `where the kernel shows the modules (default: ${DEFAULT_SYS_ROOT})`, pathOf('folder'))
    .option('--dev-root <folder>', `where their files are (default: ${DEFAULT_DEV_ROOT})`, pathOf('folder'))
    .option('--power-manager <socket>', POWER_MANAGER_HELP, pathOf('socket'))
    .option('--sclk-cap <kHz>', 'fastest bus clock to use (default: what each module can)', sclkCap)
    .option('--reset-state', 'forget what virtual modules have saved', false)
    .option('--services <names>', `which of ${known.join(', ')} to serve, separated by commas`, serviceNames(known), known)
    .addOption(powerModeOption())
    .addOption(bus.choices(['instant', 'timed']))
    .option('--no-bench', 'leave out the bench over HTTP: wiring, faults, time')
    .option(
      '--twins <number>',
      `serve so many devices, 1 to ${MOST_TWINS}, at consecutive ports: for load tests`,
      wholeNumber(1, MOST_TWINS),
    )
    .action((options: ServeOptions) => run(options))
}
