import { createRequire } from 'node:module'
import { extensionDocument, openApiDocument } from '@slotwire/contract'
import { type Clock, coreErrors, formatVersion, SLOTWIRE_VERSION, SystemClock, Turns, withDeadline } from '@slotwire/core'
import type lightMyRequest from 'light-my-request'
import type { InjectOptions, Response } from 'light-my-request'
import { type AppPage, addAppPage } from './app-page.ts'
import type { MetricSource } from './metrics/metric.ts'
import { EventLoopDelay } from './metrics/process-metrics.ts'
import { ReadingStore } from './metrics/readings.ts'
import { addExtensionRoutes, type ServedExtension } from './pipeline/extension.ts'
import { defaultHttpLimits, type HttpLimits, WAITING_REFUSED_AT } from './pipeline/http-limits.ts'
import { RequestStatistics } from './pipeline/request-statistics.ts'
import { Routes } from './pipeline/routes.ts'
import { RunningRequests } from './pipeline/running-requests.ts'
import { SlotCaches } from './pipeline/slot-cache.ts'
import { type WriteRecord, writeRecorder } from './pipeline/write-records.ts'
import type { ServiceContext } from './service-context.ts'
import { addDocsRoutes, addDocument, addHealthRoutes, addMetricsRoutes, addServiceRoutes } from './service-routes.ts'

const require = createRequire(import.meta.url)

/** Deadline for the list of the host's devices, in milliseconds. */
const HOST_DEVICES_DEADLINE_MS = 2000

export interface ServiceOptions
  extends Pick<
    ServiceContext,
    'services' | 'rack' | 'backplane' | 'power' | 'guard' | 'clock' | 'log' | 'versions' | 'observer' | 'pins'
  > {
  /** Endpoints outside the modules' API, below `/slotwire/`, each extension with an API document of its own. */
  readonly extensions?: readonly ServedExtension[]
  /** The page of an app, shown to browsers at `/`; default: they are sent to the API reference. Called at the first request. */
  readonly page?: () => Promise<AppPage>
  /** Overrides for `defaultHttpLimits`. */
  readonly limits?: Partial<HttpLimits>
  /**
   * Called after every request with an effect (any method but GET, HEAD and OPTIONS, and GETs with an effect), even a refused one. Not
   * called for requests that a door's `checkAccess` refused. Exceptions are logged and ignored.
   */
  readonly onWrite?: (record: WriteRecord) => void
  /** More sources for `/slotwire/metrics`. A source that throws is logged and omitted. */
  readonly metrics?: readonly MetricSource[]
  /** What an operator must check although the service answers requests, a sentence each; listed by `/slotwire/readyz`. */
  readonly warnings?: () => readonly string[]
  /** Clock of clients and metrics if the device's `clock` is simulated. Default: `clock`; the system's clock for metrics. */
  readonly realTime?: Clock
}

/** The part of a door that closes with its service. */
export interface ServiceDoor {
  /** Accepts no more requests; resolves when all are answered. */
  close(): Promise<void>
  /** Closes all connections at once. Resolves when the address is free. */
  abort(): Promise<void>
}

/** The HTTP application: contracts and handlers. Other code opens its doors. */
export class Service {
  readonly #doors = new Set<ServiceDoor>()
  /** Doors that do not listen yet. If the service closes meanwhile, they are aborted. */
  readonly #opening = new Set<Promise<unknown>>()

  constructor(
    /** Handle the requests of its doors. */
    readonly routes: Routes,
    /** For its doors. */
    readonly context: ServiceContext,
    private readonly extensions: readonly ServedExtension[],
  ) {}

  /** Closes a door together with the service, from the start of `open`. Rejects like `open`, and if the service closes meanwhile. */
  adopt<Opened>(door: ServiceDoor, open: () => Promise<Opened>): Promise<Opened> {
    const opening = this.#open(door, open).finally(() => this.#opening.delete(opening))
    this.#opening.add(opening)
    return opening
  }

  async #open<Opened>(door: ServiceDoor, open: () => Promise<Opened>): Promise<Opened> {
    const opened = await open()
    // The service was closed meanwhile, without this door.
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

  /** Answers a request without a socket, even while the service closes. */
  inject(request: InjectOptions | string): Promise<Response> {
    // Loaded at the first request without a door: it would slow down each start.
    const inject = require('light-my-request') as typeof lightMyRequest
    return inject((message, response) => this.routes.answer(message, response, undefined), request)
  }

  /** Stops as if the process were killed: closes all connections at once. Resolves when the addresses are free. */
  async abort(): Promise<void> {
    const { running, eventLoop } = this.context
    running.close()
    for (const { close } of this.extensions) close?.()
    eventLoop.stop()
    await Promise.all([...this.#doors].map((door) => door.abort()))
    await Promise.allSettled(this.#opening)
  }

  /**
   * Accepts no new connections and finishes running requests within `closeMs`. Requests that would take longer are refused early enough to
   * send the refusal.
   */
  async close(): Promise<void> {
    const { running, rack, doorTime, limits } = this.context
    running.close()
    for (const { close } of this.extensions) close?.()
    const deadline = doorTime.after(limits.closeMs * WAITING_REFUSED_AT, () => rack.refuseWaiting())
    const doors = [...this.#doors].map((door) => door.close())
    await Promise.all(doors)
    await Promise.allSettled(this.#opening)
    deadline.cancel()
    this.context.eventLoop.stop()
  }
}

/** Builds the application; no door is open yet. */
export function createService(options: ServiceOptions): Service {
  const { limits, extensions = [], onWrite, metrics = [], warnings = () => [], realTime, page, ...parts } = options
  const { backplane, clock } = options
  const measured = realTime ?? new SystemClock()
  const doorTime = realTime ?? options.clock
  const contracts = parts.services.map(({ contract }) => contract)
  const context: ServiceContext = {
    ...parts,
    contracts,
    doorTime,
    limits: { ...defaultHttpLimits, ...limits },
    caches: new SlotCaches(options.clock),
    running: new RunningRequests(options.clock, doorTime),
    turns: new Turns(measured),
    recordWrite: writeRecorder(onWrite, { contracts, log: options.log }),
    requests: new RequestStatistics(measured),
    readings: new ReadingStore(options.clock, doorTime),
    eventLoop: new EventLoopDelay(measured),
    hostDevices: (query, late) =>
      withDeadline(clock, HOST_DEVICES_DEADLINE_MS, backplane.hostDevices(query), () => late(HOST_DEVICES_DEADLINE_MS)),
  }
  const routes = new Routes(context)
  for (const service of context.services) addServiceRoutes(routes, service, context)
  const version = formatVersion(SLOTWIRE_VERSION)
  addHealthRoutes(routes, context, warnings)
  addMetricsRoutes(routes, context, metrics)
  for (const extension of extensions) {
    const { contract } = extension
    addExtensionRoutes(routes, extension, context)
    addDocument(routes, `/slotwire/${contract.name}/openapi.json`, () => extensionDocument(contract, { version }))
  }
  const extended = extensions.map(({ contract }) => contract.name)
  const appPage = page === undefined ? undefined : addAppPage(routes, page)
  addDocsRoutes(routes, contracts, extended, () => openApiDocument(contracts, { version }), appPage)
  return new Service(routes, context, extensions)
}
