import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { type Clock, systemRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { createKernelBackplane, KernelDriverError } from '@slotwire/driver/kernel'
import { inOrder } from '../run/in-order.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { powerManagerOf } from './power-manager-option.ts'
import type { ServedDevice, ServedDeviceOptions } from './serve-device.ts'

/**
 * V8 keeps its space for young objects at the initial size. It would grow to 16 MB, twice, at the first load, and not shrink again; requests
 * take no more processor time without that.
 */
const SMALL_YOUNG_SPACE = '--semi-space-growth-factor=1'

export interface KernelDeviceOptions extends Omit<ServedDeviceOptions, 'powerManager'> {
  readonly sysRoot: string
  readonly devRoot: string
  /** Socket of the power manager; undefined: the default one, if it exists. */
  readonly socket: string | undefined
  readonly clock: Clock
  /** Cancels the start: it rejects with the signal's reason. */
  readonly stopping: AbortSignal
}

/**
 * The modules behind this device's kernel driver. Leaves modules of other services to other processes. Throws `UsageError` if there is no
 * usable kernel driver.
 */
export async function createKernelDevice(options: KernelDeviceOptions): Promise<ServedDevice> {
  setFlagsFromString(SMALL_YOUNG_SPACE)
  const { sysRoot, devRoot, socket, stopping, ...deviceOptions } = options
  const { clock, log, powerMode } = deviceOptions
  const powerManager = powerManagerOf({ powerManager: socket, powerMode, clock, log })
  const processors = availableParallelism()
  const backplane = await createKernelBackplane({ sysRoot, devRoot, clock, log, stopping, processors }).catch(throwUsageError)
  try {
    const driven = { backplane, random: systemRandom, drivesOnlyServed: true }
    const device = await createDeviceService({ ...deviceOptions, ...driven, powerManager })
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    return {
      rack: device.rack,
      service: device.service,
      kernelDriver: backplane.kernelDriver,
      start: () => Promise.race([device.start(), released]),
      // It runs in real time: nothing to release but the start.
      release,
      stuck: () => device.rack.stuck() ?? backplane.stuck(),
      close: () => inOrder([() => device.close(), () => backplane.close()]),
    }
  } catch (error) {
    await backplane.close()
    throw error
  }
}

/** Turns errors that the user can fix into `UsageError`. */
function throwUsageError(error: unknown): never {
  if (!(error instanceof KernelDriverError)) throw error
  throw new UsageError(`${error.message} (a virtual device is served with --hardware twin)`, { cause: error })
}
