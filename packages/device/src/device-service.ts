import {
  type Backplane,
  type Clock,
  coreErrors,
  type LastKnownPower,
  type Log,
  type Random,
  silentLog,
  systemWallTime,
  type WallTime,
} from '@slotwire/core'
import { BuiltInArbiter, createPowerGate, type PowerManager, type PowerMode, Rack, type ReadSupply } from '@slotwire/driver'
import {
  addHistoryRoute,
  addPastRoute,
  addStateRoute,
  addStreamRoute,
  EventStreams,
  Feed,
  type HistoryFiles,
  Journal,
  Leases,
  leaseExtension,
} from '@slotwire/events'
import * as moduleServices from '@slotwire/modules/services'
import { type Caller, createService, idleReader, type ModuleService, type ServiceOptions } from '@slotwire/service'
import { SERVICE_VERSION } from './names.ts'
import { powerSupplier } from './power-supplier.ts'

/** All module services. */
export const allServices: readonly ModuleService[] = Object.values(moduleServices)

export interface DeviceServiceOptions
  extends Pick<ServiceOptions, 'extensions' | 'limits' | 'metrics' | 'onWrite' | 'page' | 'pins' | 'realTime' | 'warnings'> {
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
  /** Keeps the history of the journal on the disk; default: it ends with the process. */
  readonly history?: HistoryFiles
  /** Time of a twin, shown in the records of the journal; undefined on a device. */
  readonly twinTime?: Clock
  /** Default: the date of the system. */
  readonly wallTime?: WallTime
}

/** The driver and the HTTP application of one device. */
export type DeviceService = Awaited<ReturnType<typeof createDeviceService>>

/** Connects driver and HTTP application of a device; opens nothing yet. */
export async function createDeviceService(options: DeviceServiceOptions) {
  const { random, log = silentLog, services, drivesOnlyServed, powerMode = 'strict', powerManager, ...others } = options
  const { sclkCapKhz, queueLimit, boot = 1, wallTime = systemWallTime, twinTime, history, onWrite, ...passedOn } = others
  const { backplane, clock, realTime, metrics = [], pins } = passedOn
  const journal = new Journal({ boot, clock: realTime ?? clock, wallTime, twinTime, history, log })
  const served = allServices.filter(({ contract }) => services?.includes(contract.service) ?? true)
  const driven = drivesOnlyServed === true ? served : allServices
  const types = driven.map(({ vendorProductId }) => vendorProductId)
  const notificationReaders = new Map(
    allServices.flatMap(({ vendorProductId, readNotification }) =>
      readNotification === undefined ? [] : [[vendorProductId, readNotification] as const],
    ),
  )
  const probes = new Map(allServices.map(({ vendorProductId, probe }) => [vendorProductId, probe] as const))
  const rack = new Rack({ backplane, clock, random, log, types, sclkCapKhz, queueLimit, notificationReaders, probes })
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
  const feed = new Feed({ journal, rack, services: served, clock, leases: (caller) => leases.list(caller), pins })
  const ofModule = powerSupplier?.budgetIn({ rack, isDriven: types.includes(powerSupplier.vendorProductId), log })
  let stopping = false
  // A power module that is no longer driven must not be treated as missing.
  const readSupply: ReadSupply = async (modules) => {
    if (stopping) throw coreErrors.stopping()
    return ofModule?.(modules)
  }
  const descriptorOf: LastKnownPower = (slot) => rack.inventory().find((entry) => entry.slot === slot)?.descriptor
  const builtIn = new BuiltInArbiter({ backplane, readSupply, mode: powerMode, log, descriptorOf })
  const manager = powerManager?.(builtIn) ?? builtIn
  const service = createService({
    ...passedOn,
    extensions: [...(passedOn.extensions ?? []), leaseExtension(leases)],
    services: served,
    rack,
    guard: leases,
    power: createPowerGate({ manager, clock, log, onDecision: feed.recordPower }),
    observer: feed.observer,
    onWrite: (record) => {
      feed.recordWrite(record)
      onWrite?.(record)
    },
    metrics: [feed.metrics, leases.metrics, () => streams.families(), ...metrics],
    log,
    versions: { service: SERVICE_VERSION, moduleDriver: SERVICE_VERSION },
  })
  const { context } = service
  feed.start(context)
  const state = (caller: Caller | undefined) => feed.state(caller)
  addStateRoute(service.routes, state)
  const streams = new EventStreams({ journal, context, state, read: idleReader(context), wallTime })
  addStreamRoute(service.routes, streams)
  addHistoryRoute(service, journal)
  addPastRoute(service)
  return {
    rack,
    service,
    journal,
    /** What a caller may learn of the device, as at `/slotwire/state`. */
    state,
    /** Takes the modules; resolves when present modules have been opened. Until then requests get a retryable error. */
    start: () => rack.start(),
    /** Closes the doors, then the slots: finishes running requests first. */
    close: async () => {
      await service.close()
      feed.close()
      stopping = true
      await rack.stop()
      journal.close()
    },
  }
}
