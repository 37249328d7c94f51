import { resolve } from 'node:path'
import { type Clock, formatVersion, type Log } from '@slotwire/core'
import { SERVICE_VERSION } from '@slotwire/device/names'
import { BuiltInArbiter } from '@slotwire/driver'
import { createKernelBackplane, type KernelBackplane, KernelDriverError } from '@slotwire/driver/kernel'
import { type PowerManagerServer, PowerSocketError, servePowerManager } from '@slotwire/driver/power-manager'
import { inOrder } from '../run/in-order.ts'
import { DEFAULT_DEV_ROOT } from '../serve/hardware.ts'
import type { Served } from '../serve/serve.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { PowerManagerCommandOptions } from './power-manager-command.ts'
import { powerServiceSource } from './power-service.ts'

interface Surroundings {
  readonly print: (text: string) => void
  readonly clock: Clock
  readonly log: Log
  /** Told to stop: a start that waits for the kernel ends. */
  readonly stopping: AbortSignal
}

/** Holds the power budget of this device at a socket, and prints where. It opens no slot. Throws `UsageError`. */
export async function holdPowerBudget(options: PowerManagerCommandOptions, surroundings: Surroundings): Promise<Served> {
  const { print, clock, log, stopping } = surroundings
  const { sysRoot, powerMode, powerService } = options
  const socket = resolve(options.socket)
  // What is never opened is nowhere looked for.
  const backplane = await mendably(createKernelBackplane({ sysRoot, devRoot: DEFAULT_DEV_ROOT, clock, log, stopping }))
  try {
    const source = powerServiceSource({ url: powerService, clock })
    const manager = new BuiltInArbiter({ backplane, source, mode: powerMode, log })
    const server = await mendably(servePowerManager({ socket, manager, clock, log }))
    print(`Slotwire ${formatVersion(SERVICE_VERSION)} holds the power budget at ${socket}\n`)
    return served(server, backplane, socket)
  } catch (error) {
    await backplane.close()
    throw error
  }
}

function served(server: PowerManagerServer, backplane: KernelBackplane, socket: string): Served {
  return {
    close: () => inOrder([() => server.close(), () => backplane.close()]),
    // All that it is told stands on its command line.
    reload: async () => undefined,
    stuck: () => server.stuck() ?? backplane.stuck(),
    status: () => `holds the power budget at ${socket}`,
  }
}

async function mendably<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof KernelDriverError || error instanceof PowerSocketError)
      throw new UsageError(error.message, { cause: error })
    throw error
  }
}
