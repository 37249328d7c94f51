import type { Contract } from '@slotwire/contract'
import { allServices } from '@slotwire/device'
import { listen } from '@slotwire/edge'
import type { Hardware } from '../serve/hardware.ts'
import type { Served, ServedDevice } from '../serve/serve-device.ts'
import { homeFolder } from '../state/home-folder.ts'
import { StateAccess } from '../state/state-access.ts'
import { MEMORY } from '../state/state-folder.ts'
import { stateFolderOf } from '../state/state-option.ts'
import { throwAwayFolder } from '../state/throw-away-folder.ts'
import { inOrder, type Step } from './in-order.ts'
import { listenOnLoopback } from './listen.ts'
import { type NetworkOptions, overridesOf } from './network-options.ts'
import { type NetworkSide, networkSide, type SettingsOverrides } from './network-side.ts'
import { refuseTaken } from './refuse-taken.ts'
import type { ServerContext } from './until-stopped.ts'

/** A device with its doors open. */
export interface OpenedDevice {
  readonly device: ServedDevice
  readonly network: NetworkSide
  readonly stateFolder: string
  /** Loopback URLs. */
  readonly urls: readonly string[]
}

/** What to serve behind the doors. */
export interface BehindDoors {
  /** Settings from options other than the network options. */
  readonly overrides?: SettingsOverrides
  /** Undefined: no modules. */
  readonly hardware?: Hardware
  /** The address from which the bench can be reached over the network. */
  readonly benchFrom?: string | undefined
  /** Contracts of the services in this process. */
  readonly own: readonly Contract[]
  /** Makes the device; opens nothing yet. */
  readonly create: (network: NetworkSide, state: StateAccess) => Promise<ServedDevice>
  /** The text to print when it is ready. */
  readonly announce: (opened: OpenedDevice) => string
  /** What it serves now, and where (`urls`), in one line. */
  readonly status: (opened: OpenedDevice, urls: string) => string
}

/** Serves a device with a state folder, on loopback and to the network, and prints its URLs. Throws `UsageError`. */
export async function serveBehindDoors(
  options: NetworkOptions,
  { clock, log, print, stopping }: ServerContext,
  behind: BehindDoors,
): Promise<Served> {
  const contracts = allServices.map(({ contract }) => contract)
  const overrides = { ...overridesOf(options), ...behind.overrides }
  const stateFolder = servedFolder(options)
  await refuseTaken(
    stateFolder,
    overrides,
    contracts.map(({ service }) => service),
  )
  const state = new StateAccess({ folder: stateFolder, clock, log })
  // Cleanup runs in the opposite order.
  const steps: Step[] = [() => state.close()]
  const close = (): Promise<void> => inOrder(steps.splice(0))
  try {
    const network = networkSide({
      state,
      overrides,
      own: behind.own,
      contracts,
      clock,
      log,
      hardware: behind.hardware,
      benchFrom: behind.benchFrom,
    })
    steps.unshift(() => network.close())
    const device = await behind.create(network, state)
    steps.unshift(
      () => network.goodbye(),
      // Forwarded requests get as much time as those answered here.
      () => Promise.all([device.close(), network.finish()]),
    )
    // A client of the bench may have stopped time while the start waits for modules.
    if (stopping.aborted) device.release()
    else stopping.addEventListener('abort', () => device.release(), { once: true })
    const urls = await listenOnLoopback(
      async (at) => (await listen(device.service, at, network.loopback)).address,
      network.settings.loopbackPort,
    )
    await network.open(device.service)
    await device.start()
    await network.announce()
    const opened = { device, network, stateFolder, urls }
    print(behind.announce(opened))
    return {
      close,
      reload: () => network.reload(),
      stuck: () => device.stuck(),
      status: () => behind.status(opened, [...urls, ...network.urls()].join(', ')),
    }
  } catch (error) {
    await close()
    throw error
  }
}

function servedFolder(options: NetworkOptions): string {
  if (options.state === MEMORY) return throwAwayFolder()
  return stateFolderOf(options, { platform: process.platform, environment: process.env, home: homeFolder })
}
