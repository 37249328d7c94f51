import { powerSupplier } from '@slotwire/device/power-supplier'
import { POWER_MANAGER_SOCKET } from '@slotwire/driver/power-manager'
import { DEFAULT_SETTINGS, localOrigin } from '@slotwire/gateway'
import { Command, InvalidArgumentError } from 'commander'
import { type LogLevel, logLevelOption, pathOf, powerModeOption } from '../run/option-values.ts'
import { DEFAULT_SYS_ROOT } from '../serve/hardware.ts'

/** Where a device has the service of the modules that supply power. */
const DEFAULT_POWER_SERVICE = `http://127.0.0.1:${powerSupplier?.port ?? DEFAULT_SETTINGS.loopbackPort}`

/** What `slotwire power-manager` was told, checked. */
export interface PowerManagerCommandOptions {
  readonly socket: string
  /** Scheme, host and port. */
  readonly powerService: string
  readonly powerMode: 'strict' | 'weak'
  readonly sysRoot: string
  readonly logLevel: LogLevel
}

function parseOrigin(text: string): string {
  const origin = localOrigin.read(text)
  if ('problem' in origin) throw new InvalidArgumentError(`${origin.problem}.`)
  if (!origin.value.startsWith('http:'))
    throw new InvalidArgumentError(`${DEFAULT_POWER_SERVICE} for one: the door of a service for this machine, without https.`)
  return origin.value
}

/** The `power-manager` command with its options. */
export function powerManagerCommand(run: (options: PowerManagerCommandOptions) => Promise<void>): Command {
  return new Command('power-manager')
    .description('hold the power budget of this device for all drivers on it, at a socket')
    .option('--socket <path>', 'where drivers ask', pathOf('socket'), POWER_MANAGER_SOCKET)
    .option('--power-service <url>', 'service that serves the power module', parseOrigin, DEFAULT_POWER_SERVICE)
    .addOption(powerModeOption())
    .option('--sys-root <folder>', 'where the kernel shows the modules', pathOf('folder'), DEFAULT_SYS_ROOT)
    .addOption(logLevelOption())
    .action((options: PowerManagerCommandOptions) => run(options))
}
