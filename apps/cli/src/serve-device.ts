import { type Clock, type Log, SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { benchOf } from '@slotwire/modules/bench'
import { defaultChassis } from '@slotwire/modules/default-device'
import { createDeviceService, type DeviceService, type DeviceServiceOptions } from '@slotwire/modules/device-service'
import { ask } from '@slotwire/modules/service-request'
import type { ServedExtension } from '@slotwire/service'
import { type Chassis, type ChassisOptions, STALL_MS } from '@slotwire/twin'
import { inOrder } from './in-order.ts'
import type { ServeOptions } from './serve-options.ts'
import { ServedTime } from './serve-time.ts'

export interface ServedDeviceOptions
  extends Pick<ServeOptions, 'services' | 'powerMode' | 'bus' | 'bench'>,
    Pick<DeviceServiceOptions, 'documented' | 'metrics' | 'onWrite'>,
    Pick<ChassisOptions, 'memory'> {
  /** What its time follows at its pace; of several devices the same. */
  readonly followed: Clock
  /** What its clients go by. */
  readonly realTime: Clock
  /** Serial codes and fan deviations come of it. */
  readonly seed: number
  readonly log: Log
}

/** A default device with its driver and its service, and the bench around it. */
export interface ServedDevice extends Pick<DeviceService, 'rack' | 'service'> {
  /** Resolves when it can be used. */
  start(): Promise<void>
  /** Has its time go at its real pace from now on, so that nothing waits for it: also a start ends then. */
  release(): void
  /** Finishes running requests, at most as long as closing may take, however its time goes; then switches it off. */
  close(): Promise<void>
}

/** The clock for devices to follow. */
export function followedClock(): Clock {
  return new SystemClock({ maxLatenessMs: STALL_MS })
}

/** Makes a device that is switched off; nothing is opened yet. */
export async function createServedDevice(options: ServedDeviceOptions): Promise<ServedDevice> {
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
  const { createBenchExtension } = await import('@slotwire/bench')
  return createBenchExtension({ device: { clock: time.clock, bench: benchOf(chassis), request }, time })
}
