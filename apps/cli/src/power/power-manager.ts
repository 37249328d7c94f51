import { resolve } from 'node:path'
import { formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import { BuiltInArbiter } from '@slotwire/driver'
import { createKernelBackplane, KernelDriverError } from '@slotwire/driver/kernel'
import { PowerSocketError, servePowerManager } from '@slotwire/driver/power-manager'
import { inOrder } from '../run/in-order.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import { DEFAULT_DEV_ROOT } from '../serve/hardware.ts'
import type { Served } from '../serve/serve-device.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { PowerManagerCommandOptions } from './power-manager-command.ts'
import { powerServiceSource } from './power-service.ts'

/** Manages the power budget of this device at a Unix socket, and prints its path. Opens no slot. Throws `UsageError`. */
export async function holdPowerBudget(options: PowerManagerCommandOptions, context: ServerContext): Promise<Served> {
  const { print, clock, log, stopping } = context
  const { sysRoot, powerMode, powerService } = options
  const socket = resolve(options.socket)
  // The device folder is unused: this process opens no slot.
  const backplane = await createKernelBackplane({ sysRoot, devRoot: DEFAULT_DEV_ROOT, clock, log, stopping }).catch(
    throwUsageError,
  )
  try {
    const source = powerServiceSource(powerService, clock)
    const manager = new BuiltInArbiter({ backplane, source, mode: powerMode, log })
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
