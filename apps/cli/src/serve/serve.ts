import { type Clock, type Log, SystemClock } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import type { Rack } from '@slotwire/driver'
import { listen } from '@slotwire/edge'
import { preload } from '../preload.ts'
import { inOrder } from '../run/in-order.ts'
import { listenOnLoopback } from '../run/listen.ts'
import { overridesOf } from '../run/network-options.ts'
import { networkSide } from '../run/network-side.ts'
import { homeFolder } from '../state/home-folder.ts'
import { openStateFolder } from '../state/state-folder.ts'
import { lockState } from '../state/state-lock.ts'
import { stateFolderOf } from '../state/state-option.ts'
import { standardLog } from '../terminal/standard-log.ts'
import { announcementOf, formatAnnouncement } from './announcement.ts'
import { DEFAULT_DEV_ROOT, DEFAULT_SYS_ROOT, type Hardware, hardwareOf } from './hardware.ts'
import type { ServedDevice, ServedDeviceOptions } from './serve-device.ts'
import type { ServeOptions } from './serve-options.ts'

/** A server that runs; `close` finishes running requests and gives everything back. */
export interface Served {
  close(): Promise<void>
  /** Reads settings and certificates anew. */
  reload(): Promise<void>
  /** What does not get on, in one sentence; undefined: everything does. Modules that fail are none of it. */
  stuck(): string | undefined
  /** What it serves now, and where, in one line. */
  status(): string
}

/** Serves this device or the default twin, as told, and prints what it serves. Told to stop meanwhile it waits for nobody's time. Throws `UsageError`. */
export async function serve(options: ServeOptions, print: (text: string) => void, stopping: AbortSignal): Promise<Served> {
  const hardware = hardwareOf(options)
  const stateFolder = stateFolderOf(options, { platform: process.platform, environment: process.env, home: homeFolder })
  openStateFolder(stateFolder)
  const lock = lockState(stateFolder)
  const log = standardLog(options.logLevel, process.env)
  try {
    return await serveIn(stateFolder, options, { hardware, log, print, stopping, onClosed: () => lock.release() })
  } catch (error) {
    lock.release()
    throw error
  }
}

interface Surroundings {
  readonly hardware: Hardware
  readonly log: Log
  readonly print: (text: string) => void
  readonly stopping: AbortSignal
  readonly onClosed: () => void
}

async function serveIn(
  stateFolder: string,
  options: ServeOptions,
  { hardware, log, print, stopping, onClosed }: Surroundings,
): Promise<Served> {
  const served = allServices.filter(({ contract }) => options.services.includes(contract.service))
  const realTime = new SystemClock()
  const network = networkSide({
    hardware,
    folder: stateFolder,
    overrides: overridesOf(options),
    own: served.map(({ contract }) => contract),
    contracts: allServices.map(({ contract }) => contract),
    clock: realTime,
    log,
  })
  const joined = { ...network.service, log }
  const created =
    hardware === 'kernel'
      ? kernelDevice(options, { clock: realTime, stopping }, joined)
      : keptTwin(stateFolder, options, realTime, joined)
  const device = await created.catch((error: unknown) => {
    network.close()
    throw error
  })
  // Whoever is at the bench may have stopped time while modules are waited for.
  if (stopping.aborted) device.release()
  else stopping.addEventListener('abort', () => device.release(), { once: true })
  const close = (): Promise<void> =>
    inOrder([
      () => network.goodbye(),
      // What is forwarded has the same time as what is answered here.
      () => Promise.all([device.close(), network.finish()]),
      () => network.close(),
      onClosed,
    ])
  try {
    const loopbackUrls = await listenOnLoopback(
      async (at) => (await listen(device.service, at, network.loopback)).address,
      network.settings.loopbackPort,
    )
    await network.open(device.service)
    await device.start()
    await network.announce()
    const announcement = announcementOf(device, served, {
      urls: loopbackUrls,
      networkUrls: network.urls(),
      stateFolder,
    })
    print(options.json ? `${JSON.stringify(announcement)}\n` : formatAnnouncement(announcement))
    return {
      close,
      reload: () => network.reload(),
      stuck: () => device.stuck(),
      status: () => servedStatus(device.rack, [...loopbackUrls, ...network.urls()]),
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Joined = Pick<ServedDeviceOptions, 'documented' | 'metrics' | 'onWrite' | 'log'>

/** What is not served is not loaded. Throws `UsageError`. */
async function kernelDevice(
  options: ServeOptions,
  { clock, stopping }: { readonly clock: Clock; readonly stopping: AbortSignal },
  joined: Joined,
): Promise<ServedDevice> {
  preload('./serve/kernel-device.js')
  const { createKernelDevice } = await import('./kernel-device.ts')
  const { sysRoot = DEFAULT_SYS_ROOT, devRoot = DEFAULT_DEV_ROOT, powerManager: socket } = options
  return createKernelDevice({ ...told(options), ...joined, sysRoot, devRoot, socket, clock, stopping })
}

async function keptTwin(stateFolder: string, options: ServeOptions, realTime: Clock, joined: Joined): Promise<ServedDevice> {
  preload('./serve/twin-device.js')
  const { createKeptTwin } = await import('./twin-device.ts')
  const { bus = 'instant', bench, resetState, powerManager: socket } = options
  // The power manager of this machine has nothing to do with a virtual device, unless somebody says so.
  const asked = socket === undefined ? {} : await powerManagerAt(socket, options, realTime, joined.log)
  return createKeptTwin({ ...told(options), ...joined, ...asked, bus, bench, resetState, stateFolder, realTime })
}

async function powerManagerAt(
  socket: string,
  { powerMode }: ServeOptions,
  clock: Clock,
  log: Log,
): Promise<Pick<ServedDeviceOptions, 'powerManager'>> {
  const { powerManagerOf } = await import('./power-manager-option.ts')
  return { powerManager: powerManagerOf({ powerManager: socket, powerMode, clock, log }) }
}

function told({ services, powerMode, sclkCap }: ServeOptions): Omit<ServedDeviceOptions, keyof Joined> {
  return { services, powerMode, ...(sclkCap === undefined ? {} : { sclkCapKhz: sclkCap }) }
}

/** What is served where, for whoever asks systemd how the service is. */
function servedStatus(rack: Pick<Rack, 'inventory'>, urls: readonly string[]): string {
  const usable = rack.inventory().filter(({ state }) => state === 'usable').length
  return `${usable === 1 ? '1 module' : `${usable} modules`} at ${urls.join(', ')}`
}
