import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Clock, formatVersion, LinkError, type Log } from '@slotwire/core'
import { BuiltInArbiter, type PowerManager } from '@slotwire/driver'
import { createKernelBackplane, type KernelBackplane, KernelDriverError } from '@slotwire/driver/kernel'
import { type PowerManagerServer, PowerSocketError, servePowerManager } from '@slotwire/driver/power-manager'
import { SERVICE_VERSION } from '@slotwire/modules/device-service'
import { codeOf } from '@slotwire/storage'
import { DEFAULT_DEV_ROOT } from './hardware.ts'
import { inOrder } from './in-order.ts'
import type { PowerManagerCommandOptions } from './power-manager-command.ts'
import { powerServiceSource } from './power-service.ts'
import type { Served } from './serve.ts'
import { UsageError } from './usage-error.ts'

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
    const source = powerServiceSource({ url: powerService, backplane, clock })
    const manager = lookingFirst(backplane, sysRoot, new BuiltInArbiter({ backplane, source, mode: powerMode, log }))
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

/** A module that has come since the last look needs power, too; slots that cannot be seen must not pass for empty ones. */
function lookingFirst(backplane: KernelBackplane, sysRoot: string, manager: PowerManager): PowerManager {
  return {
    request: async (slot, need) => {
      await backplane.look()
      const seen = backplane.present()
      const there = await slotsBelow(sysRoot)
      if (!there.every((one) => seen.includes(one))) throw new LinkError('busy', 'a module has just come')
      return manager.request(slot, need)
    },
    done: (slot, applied) => manager.done(slot, applied),
  }
}

async function slotsBelow(sysRoot: string): Promise<readonly number[]> {
  try {
    const names = await readdir(join(sysRoot, 'class', 'sdbp'))
    return names.flatMap((name) => /^slot([0-7])$/.exec(name)?.[1] ?? []).map(Number)
  } catch (error) {
    // The kernel module was taken out: nothing is there.
    if (codeOf(error) === 'ENOENT') return []
    throw new LinkError('transfer-failed', error instanceof Error ? error.message : String(error))
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
