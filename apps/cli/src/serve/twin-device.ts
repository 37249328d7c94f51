import { type Clock, SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { ask, catalog, createBench, defaultChassis } from '@slotwire/device/twin'
import type { ServedExtension } from '@slotwire/service'
import { type Chassis, type ChassisOptions, FileMemory, STALL_MS } from '@slotwire/twin'
import { preload } from '../preload.ts'
import { inOrder } from '../run/in-order.ts'
import { memoryPath, openTwinFolder, resetState } from '../state/state-folder.ts'
import type { ServedDevice, ServedDeviceOptions } from './serve-device.ts'
import type { ServeOptions } from './serve-options.ts'
import { REAL_PACE, ServedTime } from './serve-time.ts'

/** The same virtual device at every start: serial codes and fan deviations stay. */
const TWIN_SEED = 1

export interface TwinDeviceOptions
  extends ServedDeviceOptions,
    Pick<ServeOptions, 'bench'>,
    Required<Pick<ServeOptions, 'bus'>>,
    Pick<ChassisOptions, 'memory'> {
  /** What its time follows at its pace; of several devices the same. */
  readonly followed: Clock
  /** What its clients go by. */
  readonly realTime: Clock
  /** Serial codes and fan deviations come of it. */
  readonly seed: number
}

/** The clock for devices to follow. */
export function followedClock(): Clock {
  return new SystemClock({ maxLatenessMs: STALL_MS })
}

export interface KeptTwinOptions
  extends Omit<TwinDeviceOptions, 'followed' | 'seed' | 'memory'>,
    Pick<ServeOptions, 'resetState'> {
  readonly stateFolder: string
}

/** The one twin whose modules keep what they save in a state folder. Throws `UsageError` for a folder that cannot be written. */
export async function createKeptTwin({ stateFolder, resetState: forgets, ...options }: KeptTwinOptions): Promise<ServedDevice> {
  openTwinFolder(stateFolder)
  const memory = (slot: number): FileMemory => new FileMemory(memoryPath(stateFolder, slot))
  const device = await createTwinDevice({ ...options, followed: followedClock(), seed: TWIN_SEED, memory })
  return {
    ...device,
    start: async () => {
      // Only a device that will be served forgets anything.
      if (forgets) resetState(stateFolder)
      await device.start()
    },
  }
}

/** Makes a twin that is switched off, and the bench around it; nothing is opened yet. */
export async function createTwinDevice(options: TwinDeviceOptions): Promise<ServedDevice> {
  const { followed, seed, memory, bus, bench, ...told } = options
  const time = new ServedTime(followed)
  const { clock } = time
  const chassis = defaultChassis({ clock, random: seededRandom(seed), memory, bus, log: told.log })
  const request: Ask = (asked) => ask(device.service, asked)
  const extensions = bench ? [await benchExtension({ chassis, time, request })] : []
  const device = await createDeviceService({ ...told, extensions, backplane: chassis, clock, random: systemRandom })
  return {
    rack: device.rack,
    service: device.service,
    start: async () => {
      await chassis.powerOn()
      await device.start()
    },
    release: () => time.release(),
    // At another pace what takes a moment of real time takes as long as somebody likes, and says nothing.
    stuck: () => (time.pace === REAL_PACE ? device.rack.stuck() : undefined),
    close: () => inOrder([() => time.release(), () => device.close(), () => chassis.powerOff()]),
  }
}

type Ask = (request: Parameters<typeof ask>[1]) => ReturnType<typeof ask>

/** Loaded where it is wanted alone: it costs time at the start. */
async function benchExtension({
  chassis,
  time,
  request,
}: {
  readonly chassis: Chassis
  readonly time: ServedTime
  readonly request: Ask
}): Promise<ServedExtension> {
  preload('@slotwire/bench-api')
  const { createBenchExtension } = await import('@slotwire/bench-api')
  return createBenchExtension({ device: { clock: time.clock, bench: createBench(chassis), request }, time, catalog })
}
