import { resolve } from 'node:path'
import { type Clock, formatVersion, messageOf, SLOTWIRE_VERSION } from '@slotwire/core'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { BuiltInArbiter, type ReadSupply } from '@slotwire/driver'
import { createKernelBackplane, KernelDriverError } from '@slotwire/driver/kernel'
import { POWER_MANAGER_SOCKET, PowerSocketError, powerManagerErrors, servePowerManager } from '@slotwire/driver/power-manager'
import { DEFAULT_SETTINGS, localOrigin } from '@slotwire/network'
import { Command, InvalidArgumentError } from 'commander'
import { getText } from '../client/get-text.ts'
import { inOrder } from '../run/in-order.ts'
import { addLogOptions, type LogOptions, pathOf, powerModeOption } from '../run/option-values.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT } from '../serve/hardware.ts'
import type { RunningServer } from '../serve/serve-device.ts'
import { examples } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'
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

/** Manages the power budget of this device at a Unix socket, and prints its path. Opens no slot. Throws `UsageError`. */
export async function holdPowerBudget(options: PowerManagerCommandOptions, context: ServerContext): Promise<RunningServer> {
  const { print, clock, log, stopping } = context
  const { sysRoot, powerMode, powerService } = options
  const socket = resolve(options.socket)
  // The device folder is unused: this process opens no slot.
  const backplane = await createKernelBackplane({ sysRoot, devRoot: DEFAULT_DEV_ROOT, clock, log, stopping }).catch(
    throwUsageError,
  )
  try {
    const readSupply = powerServiceSource(powerService, clock)
    const manager = new BuiltInArbiter({ backplane, readSupply, mode: powerMode, log })
    const server = await servePowerManager({ socket, manager, clock, log }).catch(throwUsageError)
    print(`Slotwire ${formatVersion(SLOTWIRE_VERSION)} holds the power budget at ${socket}\n`)
    return {
      close: () => inOrder([() => server.close(), () => backplane.close()]),
      // It has no settings: all its options are on the command line.
      reload: async () => undefined,
      stuck: () => server.stuck() ?? backplane.stuck(),
      status: () => `holds the power budget at ${socket}`,
    }
  } catch (error) {
    await backplane.close()
    throw error
  }
}

/** Turns errors that the user can fix into `UsageError`. */
function throwUsageError(error: unknown): never {
  const isUserError = error instanceof KernelDriverError || error instanceof PowerSocketError
  throw isUserError ? new UsageError(error.message, { cause: error }) : error
}

/** Longest wait for the power service, in milliseconds. Shorter than a driver's wait for the power manager. */
export const POWER_SERVICE_DEADLINE_MS = 500
/** Of a response of the power service. */
const MAX_BYTES = 4096

/**
 * Reads the supply's figures from the power service for each request. Undefined if no slot holds a module that supplies power. Rejects with
 * `powerServiceNotUsable` if a supply module is plugged but the service does not report it.
 */
export function powerServiceSource(url: string, clock: Clock): ReadSupply {
  const ofService = powerSupplier?.budgetOverHttp(async (path) => bodyOf(url + path, clock))
  return async (modules) => {
    try {
      return await ofService?.(modules)
    } catch (error) {
      const reason = messageOf(error)
      throw powerManagerErrors.powerServiceNotUsable({ url, reason }, { cause: error })
    }
  }
}

async function bodyOf(url: string, clock: Clock): Promise<unknown> {
  const { status, text } = await getText(url, { clock, deadlineMs: POWER_SERVICE_DEADLINE_MS, maxBytes: MAX_BYTES })
  if (status !== 200) throw new Error(`it responds with status ${status}`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('its response is not JSON', { cause: error })
  }
}
