import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { type Log, SystemClock } from '@slotwire/core'
import { allServices } from '@slotwire/modules/device-service'
import { FileMemory } from '@slotwire/twin'
import { announcementOf, formatAnnouncement } from './announcement.ts'
import { inOrder } from './in-order.ts'
import { listenOnLoopback } from './listen.ts'
import { overridesOf } from './network-options.ts'
import { networkSide } from './network-side.ts'
import { createServedDevice, followedClock } from './serve-device.ts'
import type { ServeOptions } from './serve-options.ts'
import { standardLog } from './standard-log.ts'
import { memoryPath, openStateFolder, resetState } from './state-folder.ts'
import { lockState } from './state-lock.ts'
import { stateFolderOf } from './state-option.ts'

/** The same virtual device at every start: serial codes and fan deviations stay. */
const TWIN_SEED = 1

/** A server that runs; `close` finishes running requests and gives everything back. */
export interface Served {
  close(): Promise<void>
  /** Reads settings and certificates anew. */
  reload(): Promise<void>
}

/** Serves the default twin as told, and prints what it serves. Told to stop meanwhile it waits for nobody's time. Throws `UsageError`. */
export async function serve(options: ServeOptions, print: (text: string) => void, stopping: AbortSignal): Promise<Served> {
  const stateFolder = stateFolderOf(options, { platform: process.platform, environment: process.env, home: homedir() })
  openStateFolder(stateFolder)
  const lock = lockState(stateFolder)
  const log = standardLog(options.logLevel)
  try {
    return await serveIn(stateFolder, options, { log, print, stopping, onClosed: () => lock.release() })
  } catch (error) {
    lock.release()
    throw error
  }
}

interface Surroundings {
  readonly log: Log
  readonly print: (text: string) => void
  readonly stopping: AbortSignal
  readonly onClosed: () => void
}

async function serveIn(
  stateFolder: string,
  options: ServeOptions,
  { log, print, stopping, onClosed }: Surroundings,
): Promise<Served> {
  const served = allServices.filter(({ contract }) => options.services.includes(contract.service))
  const realTime = new SystemClock()
  const network = networkSide({
    folder: stateFolder,
    overrides: overridesOf(options),
    own: served.map(({ contract }) => contract),
    contracts: allServices.map(({ contract }) => contract),
    clock: realTime,
    log,
  })
  const { services, powerMode, bus, bench } = options
  const device = await createServedDevice({
    services,
    powerMode,
    bus,
    bench,
    followed: followedClock(),
    realTime,
    seed: TWIN_SEED,
    memory: (slot) => new FileMemory(memoryPath(stateFolder, slot)),
    log,
    ...network.service,
  })
  // Whoever is at the bench may have stopped time while modules are waited for.
  stopping.addEventListener('abort', () => device.release(), { once: true })
  const close = (): Promise<void> =>
    inOrder([
      () => network.goodbye(),
      // What is forwarded has the same time as what is answered here.
      () => Promise.all([device.close(), network.finish()]),
      () => network.close(),
      onClosed,
    ])
  try {
    const listen = async (at: { readonly host: string; readonly port: number }): Promise<AddressInfo> =>
      (await device.service.listen(at, network.loopback)).address
    const loopbackUrls = await listenOnLoopback(listen, network.settings.loopbackPort)
    await network.open(device.service)
    // Only a device that will be served forgets anything.
    if (options.resetState) resetState(stateFolder)
    await device.start()
    await network.announce()
    const announced = served.map(({ contract, vendorProductId }) => ({ name: contract.service, vendorProductId }))
    const announcement = await announcementOf(device.rack, announced, {
      urls: loopbackUrls,
      networkUrls: network.urls(),
      stateFolder,
    })
    print(options.json ? `${JSON.stringify(announcement)}\n` : formatAnnouncement(announcement))
    return { close, reload: () => network.reload() }
  } catch (error) {
    await close()
    throw error
  }
}
