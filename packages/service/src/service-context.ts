import type { Backplane, Clock, Log, Version } from '@slotwire/core'
import type { PowerGate, Rack } from '@slotwire/driver'
import type { HostDevices } from './host-devices.ts'
import type { EventLoopDelay } from './metrics/event-loop-delay.ts'
import type { ReadingStore } from './metrics/reading-store.ts'
import type { ModuleService } from './module-service.ts'
import type { HttpLimits } from './pipeline/http-limits.ts'
import type { RequestStatistics } from './pipeline/request-statistics.ts'
import type { RunningRequests } from './pipeline/running-requests.ts'
import type { SlotCaches } from './pipeline/slot-cache.ts'
import type { RecordWrite } from './write-journal.ts'

/** What a service needs of the rack: its modules, whether they have been looked at, and an end to waiting. */
export type ServedRack = Pick<Rack, 'driverSession' | 'state' | 'ready' | 'usable' | 'find' | 'inventory' | 'refuseWaiting'>

/** Versions that the version root tells, beside those of the API and of the kernel driver. */
export interface ServiceVersions {
  readonly service: Version
  readonly moduleDriver: Version
}

/** What the parts of one HTTP application share. */
export interface ServiceContext {
  readonly services: readonly ModuleService[]
  readonly rack: ServedRack
  readonly backplane: Backplane
  readonly power: PowerGate
  /** The device's. */
  readonly clock: Clock
  /** What clients, doors and the end go by, however the device's time goes. */
  readonly doorTime: Clock
  readonly log: Log
  readonly versions: ServiceVersions
  readonly limits: HttpLimits
  readonly caches: SlotCaches
  readonly running: RunningRequests
  readonly recordWrite: RecordWrite
  readonly requests: RequestStatistics
  readonly readings: ReadingStore
  readonly eventLoop: EventLoopDelay
  /** Bounded in time. */
  readonly hostDevices: HostDevices
}
