import { resolve } from 'node:path'
import { formatVersion } from '@slotwire/core'
import { SERVICE_VERSION } from '@slotwire/device/names'
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

/** Holds the power budget of this device at a socket, and prints where. It opens no slot. Throws `UsageError`. */
export async function holdPowerBudget(options: PowerManagerCommandOptions, context: ServerContext): Promise<Served> {
  const { print, clock, log, stopping } = context
  const { sysRoot, powerMode, powerService } = options
  const socket = resolve(options.socket)
  // What is never opened is nowhere looked for.
  const backplane = await createKernelBackplane({ sysRoot, devRoot: DEFAULT_DEV_ROOT, clock, log, stopping }).catch(
    throwUsageError,
  )
  try {
    const source = powerServiceSource({ url: powerService, clock })
    const manager = new BuiltInArbiter({ backplane, source, mode: powerMode, log })
    const server = await servePowerManager({ socket, manager, clock, log }).catch(throwUsageError)
    print(`Slotwire ${formatVersion(SERVICE_VERSION)} holds the power budget at ${socket}\n`)
    return {
      close: () => inOrder([() => server.close(), () => backplane.close()]),
      // All that it is told stands on its command line.
      reload: async () => undefined,
      stuck: () => server.stuck() ?? backplane.stuck(),
      status: () => `holds the power budget at ${socket}`,
    }
  } catch (error) {
    await backplane.close()
    throw error
  }
}

/** What the user can fix is told in one line. */
function throwUsageError(error: unknown): never {
  const isClear = error instanceof KernelDriverError || error instanceof PowerSocketError
  throw isClear ? new UsageError(error.message, { cause: error }) : error
}
