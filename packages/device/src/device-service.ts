import {
  type Backplane,
  type Clock,
  coreErrors,
  type Log,
  type Random,
  silentLog,
  systemWallTime,
  type WallTime,
} from '@slotwire/core'
import { BuiltInArbiter, createPowerGate, type PowerManager, type PowerMode, type PowerSource, Rack } from '@slotwire/driver'
import { Journal, Leases, leaseExtension } from '@slotwire/events'
import * as moduleServices from '@slotwire/modules/services'
import { createService, type ModuleService, type Service, type ServiceOptions } from '@slotwire/service'
import { SERVICE_VERSION } from './names.ts'
import { powerSupplier } from './power-supplier.ts'

/** All module services. */
export const allServices: readonly ModuleService[] = Object.values(moduleServices)

export interface DeviceServiceOptions
  extends Pick<ServiceOptions, 'documented' | 'extensions' | 'limits' | 'metrics' | 'onWrite' | 'realTime' | 'warnings'> {
  readonly backplane: Backplane
  /** Clock of the device: a twin's clock, or the system clock. */
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  /** Services to serve; default all. */
  readonly services?: readonly string[]
  /** If true, leaves modules of services that are not served to other programs. Default: drives all modules. */
  readonly drivesOnlyServed?: boolean
  readonly powerMode?: PowerMode
  /** Selects the power manager, given the built-in arbiter; default the arbiter itself. */
  readonly powerManager?: (builtIn: PowerManager) => PowerManager
  /** Fastest bus clock to use, in kHz. */
  readonly sclkCapKhz?: number
  readonly queueLimit?: number
  /** Number of this start of the process, from 1; default 1. */
  readonly boot?: number
  /** Default: the date of the system. */
  readonly wallTime?: WallTime
}

/** The driver and the HTTP application of one device. */
export interface DeviceService {
  readonly rack: Rack
  readonly service: Service
  readonly journal: Journal
  /** Takes the modules; resolves when present modules have been opened. Until then requests get a retryable error. */
  start(): Promise<void>
  /** Closes the doors, then the slots: finishes running requests first. */
  close(): Promise<void>
}

/** Connects driver and HTTP application of a device; opens nothing yet. */
export async function createDeviceService(options: DeviceServiceOptions): Promise<DeviceService> {
  const { random, log = silentLog, services, drivesOnlyServed, powerMode = 'strict', powerManager, ...others } = options
  const { sclkCapKhz, queueLimit, boot = 1, wallTime = systemWallTime, ...passedOn } = others
  const { backplane, clock, realTime } = passedOn
  const journal = new Journal({
    boot,
    clock: realTime ?? clock,
    wallTime,
    twinTime: realTime === undefined ? undefined : clock,
    log,
  })
  const served = allServices.filter(({ contract }) => services?.includes(contract.service) ?? true)
  const types = (drivesOnlyServed === true ? served : allServices).map(({ vendorProductId }) => vendorProductId)
  const notificationReaders = new Map(
    allServices.flatMap(({ vendorProductId, readNotification }) =>
      readNotification === undefined ? [] : [[vendorProductId, readNotification] as const],
    ),
  )
  const rack = new Rack({ backplane, clock, random, log, types, sclkCapKhz, queueLimit, notificationReaders })
  const budget = powerSupplier?.budgetIn({ rack, isDriven: types.includes(powerSupplier.vendorProductId) })
  let stopping = false
  // A power module that is no longer driven must not be treated as missing.
  const read: PowerSource['read'] = async (modules) => {
    if (stopping) throw coreErrors.stopping()
    return budget?.read(modules)
  }
  const builtIn = new BuiltInArbiter({ backplane, source: { read }, mode: powerMode, log })
  const manager = powerManager?.(builtIn) ?? builtIn
  const leases = new Leases({
    rack,
    services: served,
    clock: realTime ?? clock,
    deviceClock: clock,
    wallTime,
    random,
    journal,
    log,
  })
  const service = createService({
    ...passedOn,
    extensions: [...(passedOn.extensions ?? []), leaseExtension(leases)],
    metrics: [...(passedOn.metrics ?? []), leases.metrics],
    services: served,
    rack,
    guard: leases,
    power: createPowerGate({ manager, clock, log }),
    log,
    versions: { service: SERVICE_VERSION, moduleDriver: SERVICE_VERSION },
  })
  return {
    rack,
    service,
    journal,
    start: () => rack.start(),
    close: async () => {
      await service.close()
      stopping = true
      await rack.stop()
    },
  }
}
