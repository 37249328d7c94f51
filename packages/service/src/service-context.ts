import type { Contract, NamedPin, Reach } from '@slotwire/contract'
import type { Backplane, Clock, Turns, Version } from '@slotwire/core'
import type { PowerGate, Rack, SlotApi } from '@slotwire/driver'
import type { EventLoopDelay } from './metrics/process-metrics.ts'
import type { ReadingStore } from './metrics/readings.ts'
import type { HandlerContext, ModuleService } from './module-service.ts'
import type { HttpLimits } from './pipeline/http-limits.ts'
import type { Caller, Request } from './pipeline/request.ts'
import type { RequestStatistics } from './pipeline/request-statistics.ts'
import type { RunningRequests } from './pipeline/running-requests.ts'
import type { SlotCaches } from './pipeline/slot-cache.ts'
import type { RecordWrite } from './pipeline/write-records.ts'

/** The part of the rack that a service uses. */
export type ServedRack = Pick<Rack, 'driverSession' | 'state' | 'ready' | 'usable' | 'find' | 'inventory' | 'refuseWaiting'>

/** A write of the specification, as leases judge it. */
export interface GuardedWrite {
  readonly slot: number
  readonly reach: Reach | undefined
  /** The header `Slotwire-Lease`. */
  readonly secret: string | undefined
  readonly caller: Caller | undefined
}

/** Leases: decide whether a write runs, and know which writes run. */
export interface LeaseGuard {
  /** Call this when the turn of a write has come. Throws if a lease forbids it; otherwise it runs from now on. */
  begin(write: GuardedWrite): void
  /** A write does not run any more, if it did. */
  end(write: GuardedWrite): void
}

/** Learns what modules acknowledged and answered. Its methods return at once and never throw. */
export interface ModuleObserver {
  /** A write has ended. `session`: that of the module at its begin. `reply`: undefined if it failed, and may have changed something. */
  written(slot: SlotApi, write: { endpoint: string; session: string; request: Request; reply: unknown }): void
  /** A module gave this reply to a reading. */
  answered(slot: SlotApi, endpoint: string, reply: unknown): void
}

/** Versions for the version root, besides those of the API and the kernel driver. */
export interface ServiceVersions {
  readonly service: Version
  readonly moduleDriver: Version
}

/** Shared by all parts of one HTTP application. */
export interface ServiceContext extends Pick<HandlerContext, 'hostDevices' | 'log'> {
  /** Module services to serve. */
  readonly services: readonly ModuleService[]
  /** Contracts of all services. */
  readonly contracts: readonly Contract[]
  readonly rack: ServedRack
  readonly backplane: Backplane
  readonly power: PowerGate
  /** Leases; undefined: every write may run. */
  readonly guard?: LeaseGuard | undefined
  /** Clock of the device: times caches. */
  readonly clock: Clock
  /** Clock for clients, doors and closing, independent of the device's time. */
  readonly doorTime: Clock
  readonly versions: ServiceVersions
  readonly limits: HttpLimits
  readonly caches: SlotCaches
  readonly running: RunningRequests
  /** Of the requests of all doors: many at once must not hold up heartbeats. */
  readonly turns: Turns
  readonly recordWrite: RecordWrite
  readonly observer?: ModuleObserver
  readonly requests: RequestStatistics
  readonly readings: ReadingStore
  /** What the operator calls pins now. */
  readonly pins?: (() => readonly NamedPin[]) | undefined
  readonly eventLoop: EventLoopDelay
}
