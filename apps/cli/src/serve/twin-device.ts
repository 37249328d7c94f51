import { type Clock, coreErrors, messageOf, PacedClock, SystemClock, seededRandom, systemRandom } from '@slotwire/core'
import { createDeviceService, type DeviceService } from '@slotwire/device'
import { applyRig, ask, catalog, chassisFor, createBench, type Rig } from '@slotwire/device/twin'
import type { ServedExtension } from '@slotwire/service'
import { type Bench, type ChassisOptions, FileMemory, STALL_MS } from '@slotwire/twin'
import { inOrder } from '../run/in-order.ts'
import type { StateAccess } from '../state/state-access.ts'
import { memoryPath, openTwinFolder, resetState, withWriteErrors } from '../state/state-folder.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { ServedDevice, ServedDeviceOptions } from './serve-device.ts'
import type { ServeOptions } from './serve-options.ts'

/** The pace of real time. Closing always uses it. */
const REAL_PACE = 1

/** The clock of a served twin and its driver. Bench clients may change its pace until the service closes. */
export class ServedTime extends PacedClock {
  #isReleased = false

  override get pace(): number {
    return super.pace
  }

  /** Throws `stopping` after `release`, and `RangeError` for an invalid pace. */
  override set pace(pace: number) {
    if (this.#isReleased) throw coreErrors.stopping()
    super.pace = pace
  }

  override async step(ms: number): Promise<void> {
    if (this.#isReleased) throw coreErrors.stopping()
    await super.step(ms)
  }

  /** Sets the real pace permanently and ends a step: closing has to wait for modules. */
  release(): void {
    super.pace = REAL_PACE
    this.#isReleased = true
  }
}

/** One seed for every start, so that serial codes and fan deviations stay the same. */
export const TWIN_SEED = 1

export interface TwinDeviceOptions
  extends ServedDeviceOptions,
    Pick<ServeOptions, 'bench'>,
    Required<Pick<ServeOptions, 'bus'>>,
    Pick<ChassisOptions, 'memory'> {
  /** What it begins with. Throws `UsageError` if the bench refuses it. */
  readonly rig?: Rig
  /** The clock that its time follows at its pace. Several devices share it. */
  readonly followed: Clock
  /** The clock of its clients. */
  readonly realTime: Clock
  /** Source of serial codes and fan deviations. */
  readonly seed: number
}

/** The clock that devices follow. */
export function followedClock(): Clock {
  return new SystemClock({ maxLatenessMs: STALL_MS })
}

export interface PersistentTwinOptions
  extends Omit<TwinDeviceOptions, 'followed' | 'seed' | 'memory'>,
    Pick<ServeOptions, 'resetState'> {
  readonly state: StateAccess
}

/** The default twin, whose modules save their state in a folder. Throws `UsageError` if the folder is not writable. */
export async function createPersistentTwin({
  state,
  resetState: erases,
  ...options
}: PersistentTwinOptions): Promise<ServedDevice> {
  const { folder, guard } = state
  state.prepare(() => openTwinFolder(folder))
  const memory = (slot: number): FileMemory => new FileMemory(memoryPath(folder, slot), { guard })
  const device = await createTwinDevice({ ...options, followed: followedClock(), seed: TWIN_SEED, memory })
  return {
    ...device,
    start: async () => {
      // Erase only when the device really starts.
      if (erases) withWriteErrors(folder, () => guard(() => resetState(folder)))
      await device.start()
    },
  }
}

/** Makes a twin that is switched off, and its bench; opens nothing yet. */
export async function createTwinDevice(options: TwinDeviceOptions): Promise<ServedDevice> {
  const { followed, seed, memory, bus, bench, rig = {}, ...deviceOptions } = options
  const clock = new ServedTime(followed)
  const chassis = chassisFor(rig, { clock, seed, random: seededRandom(seed), memory, bus, log: deviceOptions.log })
  const built = createBench(chassis)
  try {
    applyRig(built, rig)
  } catch (error) {
    throw new UsageError(`the rig is not possible: ${messageOf(error)}`, { cause: error })
  }
  const extensions = [...(deviceOptions.extensions ?? []), ...(bench ? [await benchExtension(built, clock, () => device)] : [])]
  const device: DeviceService = await createDeviceService({
    ...deviceOptions,
    extensions,
    backplane: chassis,
    clock,
    twinTime: clock,
    random: systemRandom,
  })
  return {
    rack: device.rack,
    service: device.service,
    start: async () => {
      await chassis.powerOn()
      await device.start()
    },
    release: () => clock.release(),
    // At another pace a moment of twin time may take any real time, so waiting does not mean a hang.
    stuck: () => (clock.pace === REAL_PACE ? device.rack.stuck() : undefined),
    close: () => inOrder([() => clock.release(), () => device.close(), () => chassis.powerOff()]),
  }
}

/** The bench of a device over HTTP; `running`: its service, once it exists. Loaded only if needed: it slows down the start. */
export async function benchExtension(
  bench: Bench,
  time: ServedTime,
  running: () => Pick<DeviceService, 'journal' | 'service'>,
): Promise<ServedExtension> {
  const { createBenchExtension } = await import('@slotwire/bench-api')
  const device: Parameters<typeof createBenchExtension>[0]['device'] = {
    clock: time,
    bench,
    get journal() {
      return running().journal
    },
    request: (sent) => ask(running().service, sent),
  }
  return createBenchExtension({ device, time, catalog })
}

/** The rig that the user named. Loaded only if needed. Throws `UsageError` with all mistakes in the file. */
export async function rigOf({ rig }: Pick<ServeOptions, 'rig'>): Promise<{ readonly rig?: Rig }> {
  if (rig === undefined) return {}
  const { readRig } = await import('../scenario/scenario-files.ts')
  const { rig: parsed, mistakes } = await readRig(rig)
  if (parsed === undefined) throw new UsageError(`the rig is not usable:\n${mistakes.join('\n')}`)
  return { rig: parsed }
}
