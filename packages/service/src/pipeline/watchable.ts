import { type Contract, type Endpoint, genericEndpoints } from '@slotwire/contract'
import { coreErrors, nearest, orElse, shown } from '@slotwire/core'
import type { SlotApi } from '@slotwire/driver'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { HandlerContext } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { handlersOf } from '../service-routes.ts'
import { parameterReader, pathSegments, placeOf, segmentsPlace } from './api-path.ts'
import { assertUp, locateSlot } from './module-request.ts'
import type { Request } from './request.ts'

/** A read of a module that can be repeated: a GET without effect. */
export interface Watchable extends Pick<Request, 'parameters'> {
  /** `io/3/input/values`: below `/api/`, without the version. */
  readonly path: string
  readonly service: string
  readonly slot: number
  /** Name in the contract. */
  readonly endpoint: string
}

/** Reads a value without delaying any request. Rejects with `SlotNeeded` or `queueFull` while the module is busy. */
export type ReadWatched = (watched: Watchable) => Promise<unknown>

/** The read at a path below `/api/`, without version. Throws `invalidField` if nothing can be read there; the slot may be empty. */
export function watchableAt(contracts: readonly Contract[], written: string): Watchable {
  if (/[?#]/.test(written)) throw coreErrors.invalidField({ reason: `watch ${shown(written)} has a query: leave it out` })
  const path = (orElse(undefined, () => pathSegments(`/${written}`)) ?? []).join('/')
  const { place, values } = segmentsPlace(path.split('/'))
  for (const { service, endpoints } of contracts) {
    for (const [name, endpoint] of Object.entries<Endpoint>({ ...genericEndpoints, ...endpoints })) {
      if (endpoint.effect !== 'read' || endpoint.method !== 'GET' || placeBelow(service, endpoint) !== place) continue
      const parameters = orElse(undefined, () => parameterReader(endpoint, 1)(values))
      if (parameters !== undefined) return { path, service, slot: Number(values[0]), endpoint: name, parameters }
    }
  }
  throw coreErrors.invalidField({ reason: `watch ${shown(written)} cannot be read: ${remedyFor(contracts, written)}` })
}

function placeBelow(service: string, { path }: Endpoint): string {
  return placeOf(`/${service}/{slot}${path}`)
}

function remedyFor(contracts: readonly Contract[], written: string): string {
  const readable = contracts.flatMap(({ service, endpoints }) =>
    Object.values<Endpoint>({ ...endpoints, ...genericEndpoints })
      .filter(({ method, effect }) => method === 'GET' && effect === 'read')
      .map((endpoint) => `${service}/{slot}${endpoint.path}`),
  )
  const meant = nearest(written.replace(/\/\d+\//, '/{slot}/'), readable)
  const [example = 'io/3/input/values'] = readable
  return meant === undefined ? `write a GET without effect, as in ${example}` : `did you mean ${meant}?`
}

/** Reads from the modules of this process, behind every request that waits for the module. */
export function idleReader(context: ServiceContext): ReadWatched {
  const { services, hostDevices, log, readings } = context
  return async ({ service: name, slot: number, endpoint, parameters }) => {
    assertUp(context)
    const service = services.find(({ contract }) => contract.service === name)
    const handler = service === undefined ? undefined : handlersOf(service)[endpoint]
    if (service === undefined || handler === undefined) throw coreErrors.notFound()
    const slot: SlotApi = locateSlot(String(number), service, context, undefined)
    const request: Request = { body: undefined, parameters }
    const handlerContext: HandlerContext = { slot, hostDevices, log, readOnly: true }
    if (handler.kind === 'bus') {
      try {
        return await slot.readWhenIdle(async (exchange) => {
          const reply = await handler.run(exchange, request, handlerContext)
          if (service.readings?.[endpoint] !== undefined) readings.keep(slot, endpoint, reply)
          return reply
        })
      } catch (error) {
        if (!(error instanceof ModuleRefusal)) throw error
        throw service.refusal?.(error) ?? coreErrors.commandRefused({ command: error.command, reason: error.reason })
      }
    }
    if (handler.kind === 'direct') return handler.run(request, handlerContext)
    throw coreErrors.notFound()
  }
}
