import type { AddressInfo } from 'node:net'
import { openApiDocument } from '@slotwire/contract'
import type { Backplane, Clock, Log } from '@slotwire/core'
import { coreErrors, formatVersion } from '@slotwire/core'
import type { PowerGate } from '@slotwire/driver'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { createApp } from './app.ts'
import { addDocsRoutes } from './docs-routes.ts'
import { Door } from './door.ts'
import { type FixedPath, refusalOf } from './fallback.ts'
import { addHealthRoutes } from './health-routes.ts'
import { ALL_REFUSED_AT, defaultHttpLimits, type HttpLimits, WAITING_REFUSED_AT } from './http-limits.ts'
import type { ModuleService } from './module-service.ts'
import { RunningRequests } from './running-requests.ts'
import { sendAnswer } from './send.ts'
import type { ServedRack, ServiceContext, ServiceVersions } from './service-context.ts'
import { addServiceRoutes } from './service-routes.ts'
import { SlotCaches } from './slot-cache.ts'
import { usbDevicesReader } from './usb-devices.ts'

export interface ServiceOptions {
  /** Which module services to serve. */
  readonly services: readonly ModuleService[]
  readonly rack: ServedRack
  readonly backplane: Backplane
  readonly power: PowerGate
  /** Times caches, timeouts of refused connections and the end of closing. */
  readonly clock: Clock
  readonly log: Log
  readonly versions: ServiceVersions
  /** Only what shall differ from `defaultHttpLimits`. */
  readonly limits?: Partial<HttpLimits>
}

/** The HTTP application: contracts and handlers behind one or more doors. */
export class Service {
  readonly #app: FastifyInstance
  readonly #context: ServiceContext
  readonly #doors = new Set<Door>()

  constructor(app: FastifyInstance, context: ServiceContext) {
    this.#app = app
    this.#context = context
  }

  /** Listens at one more address; port 0 picks one. Rejects with the system's error (`EADDRINUSE`, `EADDRNOTAVAIL`). */
  async listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    await this.#app.ready()
    const { running, limits, clock } = this.#context
    const door = new Door({ route: (request, response) => this.#app.routing(request, response), running, limits, clock })
    const address = await door.listen(at)
    this.#doors.add(door)
    return address
  }

  /** Answers a request without a socket. */
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse> {
    return this.#app.inject(request)
  }

  /**
   * Takes no new connections and finishes running requests, at most `closeMs` long; those for which that is too short are refused in time
   * to hear of it.
   */
  async close(): Promise<void> {
    const { running, rack, clock, limits } = this.#context
    running.close()
    const refusals = [
      clock.after(limits.closeMs * WAITING_REFUSED_AT, () => {
        rack.refuseWaiting()
        running.refuseUnfinished(coreErrors.stopping())
      }),
      clock.after(limits.closeMs * ALL_REFUSED_AT, () => running.refuseAll(coreErrors.stopping())),
    ]
    const doors = [...this.#doors].map((door) => door.close())
    // Marks the application as closing: what still arrives on open connections is answered, and is the last there.
    await Promise.all([this.#app.close(), ...doors])
    for (const timer of refusals) timer.cancel()
    this.#context.caches.close()
  }
}

/** Builds the application; nothing listens yet. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { limits, ...given } = options
  const context: ServiceContext = {
    ...given,
    limits: { ...defaultHttpLimits, ...limits },
    caches: new SlotCaches(options.clock),
    running: new RunningRequests(),
    usbDevices: usbDevicesReader(options),
  }
  const fixed: FixedPath[] = []
  const app = createApp(context, ({ raw }, reply) => {
    sendAnswer(reply, refusalOf(raw.method ?? '', raw.url ?? '', context, fixed))
  })
  for (const service of context.services) addServiceRoutes(app, service, context)
  const contracts = context.services.map(({ contract }) => contract)
  const version = formatVersion(context.versions.service)
  fixed.push(...addHealthRoutes(app, context), ...addDocsRoutes(app, () => openApiDocument(contracts, { version })))
  await app.ready()
  return new Service(app, context)
}
