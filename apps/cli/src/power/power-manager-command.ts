import { powerSupplier } from '@slotwire/device/power-supplier'
import { POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { DEFAULT_SETTINGS, localOrigin } from '@slotwire/network'
import { Command, InvalidArgumentError } from 'commander'
import { addLogOptions, type LogOptions, pathOf, powerModeOption } from '../run/option-values.ts'
import { DEFAULT_SYS_ROOT } from '../serve/hardware.ts'
import { examples } from '../terminal/command-context.ts'
import { word } from '../terminal/word.ts'

/** URL where a device serves the modules that supply power. */
const DEFAULT_POWER_SERVICE = `http://127.0.0.1:${powerSupplier?.port ?? DEFAULT_SETTINGS.loopbackPort}`

/** The options of `slotwire power-manager`, checked. */
export interface PowerManagerCommandOptions extends LogOptions {
  readonly socket: string
  /** Scheme, host and port. */
  readonly powerService: string
  readonly powerMode: 'strict' | 'weak'
  readonly sysRoot: string
}

function parseOrigin(text: string): string {
  const origin = word('power-service', localOrigin)(text)
  if (origin.startsWith('http:')) return origin
  throw new InvalidArgumentError(`use the loopback door of a service, without https, for example ${DEFAULT_POWER_SERVICE}.`)
}

/** The `power-manager` command with its options. */
export function powerManagerCommand(run: (options: PowerManagerCommandOptions) => Promise<void>): Command {
  const command = new Command('power-manager')
    .description('Manage the power budget for all drivers of this device')
    .option('--socket <path>', 'Listen at', pathOf('socket'), POWER_MANAGER_SOCKET)
    .option('--power-service <url>', 'Read power limits from', parseOrigin, DEFAULT_POWER_SERVICE)
    .addOption(powerModeOption())
    .option('--sys-root <folder>', 'Use this folder as /sys', pathOf('folder'), DEFAULT_SYS_ROOT)
  return addLogOptions(command)
    .addHelpText('after', examples('power-manager', 'power-manager --power-mode weak --log-level debug'))
    .action((options: PowerManagerCommandOptions) => run(options))
}
