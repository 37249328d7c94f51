import { compileBody, type Endpoint } from '@slotwire/contract'
import type { PowerConfiguration, SlotApi } from '@slotwire/driver'
import type { CheckedHandler, HandlerContext, ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { jsonText, sendCachedJson, sendJson, sendOutcome } from './answer.ts'
import { bodyReader, noBody } from './body.ts'
import type { ErrorContext } from './client-error.ts'
import { locator } from './locate.ts'
import { recordedChange } from './recorded-change.ts'
import { departureOf } from './request.ts'
import type { Handle } from './routes.ts'
import { observedWrite, writesOf } from './write-guard.ts'

/** An endpoint of a service with its handler. */
export interface ServedEndpoint {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: CheckedHandler
  readonly service: ModuleService
}

/**
 * Answers the requests of an endpoint for a module. The order of the checks, from path to answer, is that of the code below; behaviour.md
 * "Status codes".
 */
export function moduleRequest(served: ServedEndpoint, context: ServiceContext): Handle {
  const { endpoint, handler } = served
  if (endpoint.effect === 'read' && handler.kind === 'bus') return reading(served, handler, context)
  return endpoint.method === 'POST' || endpoint.effect === 'action' ? write(served, context) : directReply(served, context)
}

/** Reads from the module; simultaneous requests share a reading. Uses the cache for a second if the contract allows it. */
function reading(served: ServedEndpoint, handler: CheckedHandler & { kind: 'bus' }, context: ServiceContext): Handle {
  const { name, endpoint, service } = served
  const { caches, readings, observer, running } = context
  const locate = locator(served, context)
  const errors = errorsOf(served, context)
  const isCached = endpoint.caching === 'one-second'
  const isWatched = service.readings?.[name] !== undefined
  const isObserved = service.journal?.readings?.[name] !== undefined
  const send = isCached ? sendCachedJson : sendJson
  return (request, response, { values, caller }) => {
    const { slot, parameters } = locate(values, caller)
    const cache = caches.of(slot)
    const key = [name, ...Object.values(parameters)].join(' ')
    const fresh = requestsNoCache(request.headers['cache-control'])
    const body = isCached && !fresh ? cache.get(key) : undefined
    if (body !== undefined) {
      sendCachedJson(response, body)
      return undefined
    }
    return running.run(request, response, errors, async () => {
      const outcome = await slot.read(key, { fresh }, async (exchange) => {
        const finish = cache.begin()
        // The reply goes to all requests that share this reading.
        const reply = await handler.run(exchange, { body: undefined, parameters }, handlerContextOf(slot, context, true))
        if (isWatched) readings.keep(slot, name, reply)
        if (isObserved) observer?.answered(slot, name, reply)
        return finish(jsonText(reply))
      })
      if (isCached) cache.put(key, outcome)
      if (!response.headersSent) send(response, outcome.body)
    })
  }
}

/** Answers without the bus, at once if possible. */
function directReply(served: ServedEndpoint, context: ServiceContext): Handle {
  const locate = locator(served, context)
  const errors = errorsOf(served, context)
  const handler = directHandlerOf(served)
  return (request, response, { values, caller }) => {
    const { slot, parameters } = locate(values, caller)
    const outcome = handler.run({ body: undefined, parameters }, handlerContextOf(slot, context, caller?.readOnly === true))
    if (outcome instanceof Promise) {
      return context.running.run(request, response, errors, async () => sendOutcome(request, response, await outcome))
    }
    sendOutcome(request, response, outcome)
    return undefined
  }
}

/** Changes the module, in order of arrival: waits for its turn, then for leave of lease and `If-Match`. */
function write(served: ServedEndpoint, context: ServiceContext): Handle {
  const { name, endpoint, handler, service } = served
  const { observer, power, guard } = context
  const locate = locator(served, context)
  const bodyOf = endpoint.method === 'GET' ? noBody : bodyReader(compileBody(endpoint), context)
  // A reset that fails may have reset the module.
  const isObserved = service.journal !== undefined && (service.journal.writes?.[name] !== undefined || name === 'reset')
  const target = { service: service.contract.service, endpoint: name }
  const kind = { effect: endpoint.effect, target, errors: errorsOf(served, context) }
  return recordedChange(kind, context, async ({ request, response, values, caller }, record) => {
    const { slot, parameters } = locate(values, caller)
    record.slot = { slot: slot.slot, session: slot.session }
    const body = await bodyOf(request, response)
    record.body = body
    const sender = { caller, headers: request.headers, departure: departureOf(request, response) }
    const turn = writesOf(slot, endpoint, sender, guard)
    const checked = { body, parameters }
    const handlerContext = handlerContextOf(slot, context, false)
    const observed = (work: () => unknown): unknown =>
      isObserved && observer !== undefined
        ? observedWrite(observer, slot, { endpoint: name, request: checked, kind: handler.kind, work })
        : work()
    // A power configuration waits twice, in its slot and in the device: it is judged after both.
    const judged = (configuration: PowerConfiguration): PowerConfiguration => ({
      ...configuration,
      need(descriptor) {
        turn.check()
        return configuration.need(descriptor)
      },
    })
    switch (handler.kind) {
      case 'direct':
        return observed(() => handler.run(checked, handlerContext))
      case 'bus':
        // Inside the job: the next write of the slot has not begun.
        return turn.write(async (exchange) => observed(() => handler.run(exchange, checked, handlerContext)))
      case 'power':
        return observed(() =>
          handler.run((configuration) => power.apply(slot, judged(configuration), turn.write), checked, handlerContext),
        )
    }
  })
}

function directHandlerOf({ name, handler }: ServedEndpoint): CheckedHandler & { kind: 'direct' } {
  if (handler.kind !== 'direct') throw new Error(`${name}: a GET with a handler that changes the module must be an action`)
  return handler
}

function handlerContextOf(slot: SlotApi, { hostDevices, log }: ServiceContext, readOnly: boolean): HandlerContext {
  return { slot, hostDevices, log, readOnly }
}

function errorsOf({ service: { refusal } }: ServedEndpoint, { rack, log }: ServiceContext): ErrorContext {
  return { rack, log, refusal }
}

/** Whether a request asks for an uncached value: `no-cache` among other `Cache-Control` directives, in any case. */
function requestsNoCache(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && cacheControl.split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache')
}
