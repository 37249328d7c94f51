import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type Log, SystemClock, seededRandom, silentLog, systemRandom } from '@slotwire/core'
import { defaultChassis } from '@slotwire/modules/default-device'
import { allServices, createDeviceService } from '@slotwire/modules/device-service'
import { FileMemory } from '@slotwire/twin'
import { pino } from 'pino'
import { announcementOf, formatAnnouncement } from './announcement.ts'
import { listenOnLoopback } from './listen.ts'
import type { ServeOptions } from './serve-options.ts'
import { defaultStateFolder, memoryPath, openStateFolder, resetState } from './state-folder.ts'
import { lockState } from './state-lock.ts'

/** The same virtual device at every start: serial codes and fan deviations stay. */
const TWIN_SEED = 1
/** A process that was stopped for longer, by a debugger or a busy machine, stops its virtual device with it. */
const STALL_MS = 200
const STANDARD_ERROR = 2

/** A server that runs; `close` finishes running requests and gives everything back. */
export interface Served {
  close(): Promise<void>
}

function logTo(level: ServeOptions['logLevel']): Log {
  return level === 'silent' ? silentLog : pino({ level, base: null }, pino.destination({ fd: STANDARD_ERROR, sync: true }))
}

/** Serves the default twin as told, and prints what it serves. Throws `UsageError`. */
export async function serve(options: ServeOptions, print: (text: string) => void): Promise<Served> {
  const stateFolder = resolve(options.state ?? defaultStateFolder(process.platform, process.env, homedir()))
  openStateFolder(stateFolder)
  const lock = lockState(stateFolder)
  const log = logTo(options.logLevel)
  const clock = new SystemClock({ maxLatenessMs: STALL_MS })
  const chassis = defaultChassis({
    clock,
    random: seededRandom(TWIN_SEED),
    memory: (slot) => new FileMemory(memoryPath(stateFolder, slot)),
    bus: options.bus,
    log,
  })
  const { services, powerMode } = options
  const device = await createDeviceService({ backplane: chassis, clock, random: systemRandom, log, services, powerMode })
  const close = async (): Promise<void> => {
    await device.close()
    chassis.powerOff()
    lock.release()
  }
  try {
    const urls = await listenOnLoopback(async (at) => (await device.service.listen(at)).address, options.port)
    // Only a device that will be served forgets anything.
    if (options.resetState) resetState(stateFolder)
    await chassis.powerOn()
    await device.start()
    const served = allServices
      .filter(({ contract }) => services.includes(contract.service))
      .map(({ contract, vendorProductId }) => ({ name: contract.service, vendorProductId }))
    const announcement = await announcementOf(device.rack, served, { urls, stateFolder })
    print(options.json ? `${JSON.stringify(announcement)}\n` : formatAnnouncement(announcement))
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}
