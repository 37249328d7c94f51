import { MAX_SCLK_KHZ, MIN_SCLK_KHZ } from '@slotwire/driver'
import { Command, InvalidArgumentError, Option } from 'commander'
import { addNetworkOptions, type NetworkOptions } from '../run/network-options.ts'
import { parseServices } from '../terminal/parse-services.ts'
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

function parseTwins(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > MOST_TWINS)
    throw new InvalidArgumentError(`a whole number from 1 to ${MOST_TWINS}.`)
  return count
}

function parseSclkCap(text: string): number {
  const kilohertz = Number(text)
  if (!/^\d+$/.test(text) || kilohertz < MIN_SCLK_KHZ || kilohertz > MAX_SCLK_KHZ)
    throw new InvalidArgumentError(`a whole number of kHz, ${MIN_SCLK_KHZ} to ${MAX_SCLK_KHZ}.`)
  return kilohertz
}

function parsePath(what: string): (text: string) => string {
  return (text) => {
    if (text.trim() === '') throw new InvalidArgumentError(`the path of a ${what}.`)
    return text
  }
}

/** The `serve` command with its options; `known` are the services there are. */
export function serveCommand(known: readonly string[], run: (options: ServeOptions) => Promise<void>): Command {
  const powerMode = new Option('--power-mode <mode>', 'weak also grants more power than there is, with a warning')
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
    .option('--sys-root <folder>', `where the kernel shows the modules (default: ${DEFAULT_SYS_ROOT})`, parsePath('folder'))
    .option('--dev-root <folder>', `where their files are (default: ${DEFAULT_DEV_ROOT})`, parsePath('folder'))
    .option('--power-manager <socket>', POWER_MANAGER_HELP, parsePath('socket'))
    .option('--sclk-cap <kHz>', 'fastest bus clock to use (default: what each module can)', parseSclkCap)
    .option('--reset-state', 'forget what virtual modules have saved', false)
    .option('--services <names>', `which of ${known.join(', ')} to serve, separated by commas`, parseServices(known), known)
    .addOption(powerMode.choices(['strict', 'weak']).default('strict'))
    .addOption(bus.choices(['instant', 'timed']))
    .option('--no-bench', 'leave out the bench over HTTP: wiring, faults, time')
    .option('--twins <number>', `serve so many devices, 1 to ${MOST_TWINS}, at consecutive ports: for load tests`, parseTwins)
    .action(async (options: ServeOptions) => run(options))
}
