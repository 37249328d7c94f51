import { type Contract, openApiDocument } from '@slotwire/contract'
import type { Backplane, Clock, Log } from '@slotwire/core'
import { coreErrors, formatVersion, SystemClock } from '@slotwire/core'
import type { PowerGate } from '@slotwire/driver'
import inject, { type InjectOptions, type Response } from 'light-my-request'
import { addDocsRoutes } from './docs-routes.ts'
import { addHealthRoutes } from './health-routes.ts'
import { hostDevicesReader } from './host-devices.ts'
import { EventLoopDelay } from './metrics/event-loop-delay.ts'
import type { MetricSource } from './metrics/metric.ts'
import { ReadingStore } from './metrics/reading-store.ts'
import { addMetricsRoutes } from './metrics-routes.ts'
import type { ModuleService } from './module-service.ts'
import type { ServedExtension } from './pipeline/extension.ts'
import { addExtensionRoutes } from './pipeline/extension-routes.ts'
import { defaultHttpLimits, type HttpLimits, WAITING_REFUSED_AT } from './pipeline/http-limits.ts'
import { RequestStatistics } from './pipeline/request-statistics.ts'
import { Routes } from './pipeline/routes.ts'
import { RunningRequests } from './pipeline/running-requests.ts'
import { SlotCaches } from './pipeline/slot-cache.ts'
import type { ServedRack, ServiceContext, ServiceVersions } from './service-context.ts'
import { addServiceRoutes } from './service-routes.ts'
import { writeRecorder } from './write-journal.ts'
import type { WriteRecord } from './write-record.ts'

export interface ServiceOptions {
  /** Which module services to serve. */
  readonly services: readonly ModuleService[]
  /** Contracts that the API document shows beside those of `services`: what a door forwards. */
  readonly documented?: readonly Contract[]
  /** Endpoints beside the API of the modules, below `/slotwire/`; also in the API document. */
  readonly extensions?: readonly ServedExtension[]
  readonly rack: ServedRack
  readonly backplane: Backplane
  readonly power: PowerGate
  /** The device's: times caches; also refused connections and the end of closing, unless `realTime` is given. */
  readonly clock: Clock
  readonly log: Log
  readonly versions: ServiceVersions
  /** Only what shall differ from `defaultHttpLimits`. */
  readonly limits?: Partial<HttpLimits>
  /**
   * Told of every request with an effect (any method but GET, HEAD and OPTIONS, and the GETs that act) once it has been answered, done or
   * refused: but not of one that a door's `checkAccess` has answered or its `forward` has taken. What it throws is logged, and harms nothing.
   */
  readonly onWrite?: (record: WriteRecord) => void
  /** Told with the service's own figures at `/slotwire/metrics`. What one throws is logged, and costs its figures alone. */
  readonly metrics?: readonly MetricSource[]
  /** What an operator must look at although requests are answered, a sentence each: `/slotwire/readyz` lists them. */
  readonly warnings?: () => readonly string[]
  /**
   * For a device whose clock hurries or stands still: times what clients wait for, and the metrics. If not given, requests and the event loop
   * are timed by the system's clock.
   */
  readonly realTime?: Clock
}

/** A way in to a service, as far as its end is concerned. */
export interface ServiceDoor {
  /** Takes nothing new, and resolves when all is answered. */
  close(): Promise<void>
  /** Cuts all connections. Resolves when its address is free. */
  abort(): Promise<void>
}

/** The HTTP application: contracts and handlers. Its doors are opened by others. */
export class Service {
  /** Answer the requests of its doors. */
  readonly routes: Routes
  /** For its doors. */
  readonly context: ServiceContext
  readonly #extensions: readonly ServedExtension[]
  readonly #doors = new Set<ServiceDoor>()
  /** Doors that do not listen yet. Those that come too late are given back. */
  readonly #opening = new Set<Promise<unknown>>()

  constructor(routes: Routes, context: ServiceContext, extensions: readonly ServedExtension[]) {
    this.routes = routes
    this.context = context
    this.#extensions = extensions
  }

  /** Has a door close with the service, from the moment when `open` begins. Rejects as `open` does, and when the service closes meanwhile. */
  async adopt<Opened>(door: ServiceDoor, open: () => Promise<Opened>): Promise<Opened> {
    const opening = this.#open(door, open)
    this.#opening.add(opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(opening)
    }
  }

  async #open<Opened>(door: ServiceDoor, open: () => Promise<Opened>): Promise<Opened> {
    const opened = await open()
    // Whoever closed the service in the meantime knew nothing of this door, and no client does.
    if (this.context.running.closing) {
      await door.abort()
      throw coreErrors.stopping()
    }
    this.#doors.add(door)
    return opened
  }

  /** Closes one door; the others stay open. */
  async closeDoor(door: ServiceDoor): Promise<void> {
    await door.close()
    this.#doors.delete(door)
  }

  /** Answers a request without a socket, also while the service closes. */
  inject(request: InjectOptions | string): Promise<Response> {
    return inject((asked, response) => this.routes.answer(asked, response, undefined), request)
  }

  /** Ends as if its process were killed: connections are cut, and nothing is answered any more. Resolves when its addresses are free. */
  async abort(): Promise<void> {
    const { running, eventLoop, caches } = this.context
    running.close()
    for (const { close } of this.#extensions) close?.()
    eventLoop.stop()
    caches.close()
    await Promise.all([...this.#doors].map((door) => door.abort()))
    await Promise.allSettled(this.#opening)
  }

  /**
   * Takes no new connections and finishes running requests, at most `closeMs` long; those for which that is too short are refused in time
   * to hear of it.
   */
  async close(): Promise<void> {
    const { running, rack, doorTime, limits } = this.context
    running.close()
    for (const { close } of this.#extensions) close?.()
    const impatience = doorTime.after(limits.closeMs * WAITING_REFUSED_AT, () => rack.refuseWaiting())
    const doors = [...this.#doors].map((door) => door.close())
    await Promise.all(doors)
    await Promise.allSettled(this.#opening)
    impatience.cancel()
    this.context.eventLoop.stop()
    this.context.caches.close()
  }
}

/** Builds the application; nothing listens yet. */
export function createService(options: ServiceOptions): Service {
  const { limits, documented = [], extensions = [], onWrite, metrics = [], warnings = () => [], realTime, ...given } = options
  const measured = realTime ?? new SystemClock()
  const context: ServiceContext = {
    ...given,
    doorTime: realTime ?? options.clock,
    limits: { ...defaultHttpLimits, ...limits },
    caches: new SlotCaches(options.clock),
    running: new RunningRequests(),
    recordWrite: writeRecorder(onWrite, options.log),
    requests: new RequestStatistics(measured),
    readings: new ReadingStore(options.clock),
    eventLoop: new EventLoopDelay(measured),
    hostDevices: hostDevicesReader(options.backplane, options.clock),
  }
  const routes = new Routes(context)
  for (const service of context.services) addServiceRoutes(routes, service, context)
  const contracts = [...context.services.map(({ contract }) => contract), ...documented]
  const version = formatVersion(context.versions.service)
  const shown = { version, extensions: extensions.map(({ contract }) => contract) }
  addHealthRoutes(routes, context, warnings)
  addMetricsRoutes(routes, context, metrics)
  for (const extension of extensions) addExtensionRoutes(routes, extension, context)
  addDocsRoutes(routes, () => openApiDocument(contracts, shown))
  return new Service(routes, context, extensions)
}
