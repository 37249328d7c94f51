import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Clock } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { type ListenAddress, listen } from '@slotwire/edge'
import { plannedDoors, usableSettings } from '@slotwire/network'
import { consolePage } from '../run/console-page.ts'
import { type ClosingStep, inOrder } from '../run/in-order.ts'
import { listenOnLoopback } from '../run/listen.ts'
import { type NetworkSide, networkSide, refusedDoor, type SettingsOverrides } from '../run/network-side.ts'
import { pinTickHiddenClass } from '../run/tick-hidden-class.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import { processUsing, StateAccess } from '../state/state-access.ts'
import { homeFolder, MEMORY, stateFolderOf, throwAwayFolder } from '../state/state-folder.ts'
import { counted } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { announcementOf, formatAnnouncement } from './announcement.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, hardwareOf } from './hardware.ts'
import type { RunningServer, ServedDevice, ServedDeviceOptions } from './serve-device.ts'
import { overridesOf, type ServeOptions } from './serve-options.ts'

/** Serves what the options say. Throws `UsageError`. */
export async function serve(options: ServeOptions, context: ServerContext): Promise<RunningServer> {
  pinTickHiddenClass()
  const { twins } = options
  if (twins === undefined) return serveOne(options, context)
  const { serveTwins } = await import('../twins/twins.ts')
  return serveTwins({ ...options, twins }, context)
}

/**
 * Serves this device or the default twin, with a state folder, on loopback and to the network, and prints the announcement. A stop during
 * the start takes effect immediately. Throws `UsageError`.
 */
async function serveOne(options: ServeOptions, context: ServerContext): Promise<RunningServer> {
  const { clock, log, print, stopping } = context
  const hardware = hardwareOf(options)
  const served = allServices.filter(({ contract }) => options.services.includes(contract.service))
  const overrides = overridesOf(options)
  const stateFolder = servedFolder(options)
  await refuseTaken(stateFolder, overrides)
  const state = new StateAccess({ folder: stateFolder, clock, log })
  // Cleanup runs in the opposite order.
  const steps: ClosingStep[] = [() => state.close()]
  const close = (): Promise<void> => inOrder(steps.splice(0))
  try {
    const network = networkSide({
      state,
      overrides,
      own: served.map(({ contract }) => contract),
      contracts: allServices.map(({ contract }) => contract),
      clock,
      log,
      hardware,
      benchFrom: options.benchFrom,
    })
    steps.unshift(() => network.close())
    const deviceOptions = deviceOptionsOf(options, network, context)
    const device = await (hardware === 'kernel'
      ? kernelDevice(options, context, deviceOptions)
      : persistentTwin(state, options, clock, deviceOptions))
    steps.unshift(
      () => network.goodbye(),
      () => device.close(),
    )
    // A client of the bench may have stopped time while the start waits for modules.
    if (stopping.aborted) device.release()
    else stopping.addEventListener('abort', () => device.release(), { once: true })
    const open = async (at: ListenAddress) => (await listen(device.service, at, network.loopback)).address
    const urls = await listenOnLoopback(open, network.settings)
    await network.open(device.service)
    await device.start()
    await network.announce()
    if (network.settings.mqttBroker !== undefined) {
      const { publishOwnDevice } = await import('../bridge/publishing.ts')
      const [url = ''] = urls
      const [shownUrl = url] = network.urls()
      const { machineId } = network
      const publisher = await publishOwnDevice(network.settings, {
        machineId,
        url,
        shownUrl,
        takeOver: options.takeOver === true,
        clock,
        log,
      })
      steps.unshift(async () => publisher?.close())
    }
    const announcement = announcementOf(device, served, { urls, networkUrls: network.urls(), stateFolder })
    print(options.json ? `${JSON.stringify(announcement)}\n` : formatAnnouncement(announcement, process.uptime()))
    return {
      close,
      reload: () => network.reload(),
      stuck: () => device.stuck(),
      status: () => {
        const usable = device.rack.inventory().filter((slot) => slot.state === 'usable').length
        return `${counted(usable, 'module')} at ${[...urls, ...network.urls()].join(', ')}`
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

function servedFolder(options: ServeOptions): string {
  if (options.state === MEMORY) return throwAwayFolder()
  return stateFolderOf(options, { platform: process.platform, environment: process.env, home: homeFolder })
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
  const { createPersistentTwin, rigOf } = await import('./twin-device.ts')
  const { bus = 'instant', bench, resetState, powerManager: socket, powerMode } = options
  const twin = { ...deviceOptions, bus, bench, resetState, state, realTime, ...(await rigOf(options)) }
  // A virtual device uses the power manager of this machine only if named.
  if (socket === undefined) return createPersistentTwin(twin)
  const { powerManagerOf } = await import('./power-manager-option.ts')
  const powerManager = powerManagerOf({ powerManager: socket, powerMode, clock: realTime, log: deviceOptions.log })
  return createPersistentTwin({ ...twin, powerManager })
}

/**
 * Throws `UsageError` if another process uses the state folder, or if an address cannot be had without which a start fails. Creates nothing:
 * a refused start leaves no state folder behind.
 */
export async function refuseTaken(folder: string, overrides: SettingsOverrides): Promise<void> {
  const holder = processUsing(folder)
  if (holder !== undefined) {
    const remedy = 'stop it, or start this one beside it with --port <number> --state <dir>'
    throw new UsageError(`the state folder ${folder} is in use by process ${holder}: ${remedy}`)
  }
  const stored = usableSettings(folder)
  if (stored === undefined) return
  const settings = { ...stored, ...overrides }
  await listenOnLoopback(tryAddress, settings)
  for (const door of overrides.listen === undefined ? [] : plannedDoors(settings)) {
    await tryAddress(door).catch((error: unknown) => {
      throw refusedDoor({ door, error })
    })
  }
}

/** Listens for a moment. */
async function tryAddress({ host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return address
}
