import type { Clock } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { consolePage } from '../run/console-page.ts'
import type { NetworkSide } from '../run/network-side.ts'
import { serveBehindDoors } from '../run/serve-behind-doors.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import type { StateAccess } from '../state/state-access.ts'
import { announcementOf, formatAnnouncement } from './announcement.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, hardwareOf } from './hardware.ts'
import type { Served, ServedDevice, ServedDeviceOptions } from './serve-device.ts'
import type { ServeOptions } from './serve-options.ts'

/**
 * Serves this device or the default twin, and prints the announcement. A stop during the start takes effect immediately. Throws
 * `UsageError`.
 */
export async function serve(options: ServeOptions, context: ServerContext): Promise<Served> {
  const hardware = hardwareOf(options)
  const served = allServices.filter(({ contract }) => options.services.includes(contract.service))
  return serveBehindDoors(options, context, {
    hardware,
    benchFrom: options.benchFrom,
    own: served.map(({ contract }) => contract),
    create: (network, state) => {
      const deviceOptions = deviceOptionsOf(options, network, context)
      return hardware === 'kernel'
        ? kernelDevice(options, context, deviceOptions)
        : persistentTwin(state, options, context.clock, deviceOptions)
    },
    announce: ({ device, network, stateFolder, urls }) => {
      const announcement = announcementOf(device, served, { urls, networkUrls: network.urls(), stateFolder })
      return options.json ? `${JSON.stringify(announcement)}\n` : formatAnnouncement(announcement, process.uptime())
    },
    status: ({ device }, urls) => {
      const usable = device.rack.inventory().filter(({ state }) => state === 'usable').length
      return `${usable === 1 ? '1 module' : `${usable} modules`} at ${urls}`
    },
  })
}

function deviceOptionsOf(options: ServeOptions, network: NetworkSide, { log }: ServerContext): ServedDeviceOptions {
  const { services, powerMode, sclkCap } = options
  return {
    ...network.service,
    page: consolePage,
    services,
    powerMode,
    ...(sclkCap === undefined ? {} : { sclkCapKhz: sclkCap }),
    log,
  }
}

/** Loaded only if needed. Throws `UsageError`. */
async function kernelDevice(
  options: ServeOptions,
  { clock, stopping }: ServerContext,
  deviceOptions: ServedDeviceOptions,
): Promise<ServedDevice> {
  const { createKernelDevice } = await import('./kernel-device.ts')
  const { sysRoot = DEFAULT_SYS_ROOT, devRoot = DEFAULT_DEV_ROOT, powerManager: socket } = options
  return createKernelDevice({ ...deviceOptions, sysRoot, devRoot, socket, clock, stopping })
}

async function persistentTwin(
  state: StateAccess,
  options: ServeOptions,
  realTime: Clock,
  deviceOptions: ServedDeviceOptions,
): Promise<ServedDevice> {
  const { createPersistentTwin } = await import('./twin-device.ts')
  const { bus = 'instant', bench, resetState, powerManager: socket, powerMode } = options
  const twin = { ...deviceOptions, bus, bench, resetState, state, realTime }
  // A virtual device uses the power manager of this machine only if named.
  if (socket === undefined) return createPersistentTwin(twin)
  const { powerManagerOf } = await import('./power-manager-option.ts')
  const powerManager = powerManagerOf({ powerManager: socket, powerMode, clock: realTime, log: deviceOptions.log })
  return createPersistentTwin({ ...twin, powerManager })
}
