import { availableParallelism } from 'node:os'
import { type Clock, systemRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { createKernelBackplane, type KernelBackplane, KernelDriverError } from '@slotwire/driver/kernel'
import { inOrder } from '../run/in-order.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { powerManagerOf } from './power-manager-option.ts'
import type { ServedDevice, ServedDeviceOptions } from './serve-device.ts'

export interface KernelDeviceOptions extends Omit<ServedDeviceOptions, 'powerManager'> {
  readonly sysRoot: string
  readonly devRoot: string
  /** Of the power manager; undefined: the usual one, where it exists. */
  readonly socket: string | undefined
  readonly clock: Clock
  /** Ends the start: it rejects with the signal's reason. */
  readonly stopping: AbortSignal
}

/**
 * The modules behind this device's kernel driver; those of services that are not served are left to other processes. Throws `UsageError`
 * where there is no kernel driver that can be used.
 */
export async function createKernelDevice(options: KernelDeviceOptions): Promise<ServedDevice> {
  const { sysRoot, devRoot, socket, stopping, ...told } = options
  const { clock, log } = told
  const powerManager = powerManagerOf({ powerManager: socket, powerMode: told.powerMode, clock, log })
  const backplane = await createKernelBackplane({
    sysRoot,
    devRoot,
    clock,
    log,
    stopping,
    processors: availableParallelism(),
  }).catch(clearly)
  try {
    return await servedDevice(backplane, { ...told, powerManager })
  } catch (error) {
    await backplane.close()
    throw error
  }
}

async function servedDevice(
  backplane: KernelBackplane,
  options: ServedDeviceOptions & Pick<KernelDeviceOptions, 'clock'>,
): Promise<ServedDevice> {
  const device = await createDeviceService({ ...options, backplane, random: systemRandom, drivesOnlyServed: true })
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    rack: device.rack,
    service: device.service,
    kernelDriver: backplane.kernelDriver,
    start: () => Promise.race([device.start(), released]),
    // Its time is the real one: what goes on goes on until it is closed.
    release,
    stuck: () => device.rack.stuck() ?? backplane.stuck(),
    close: () => inOrder([() => device.close(), () => backplane.close()]),
  }
}

/** What whoever started the service can mend is told in one line. */
function clearly(error: unknown): never {
  if (!(error instanceof KernelDriverError)) throw error
  throw new UsageError(`${error.message} (a virtual device is served with --hardware twin)`, { cause: error })
}
