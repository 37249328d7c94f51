import type { ServerResponse } from 'node:http'
import { compileBody, type Endpoint } from '@slotwire/contract'
import type { PowerConfiguration, PowerGate, SlotApi } from '@slotwire/driver'
import { observedWrite } from '../module-observer.ts'
import type { CheckedHandler, CheckedRequest, HandlerContext, ModuleService } from '../module-service.ts'
import type { ServiceContext } from '../service-context.ts'
import { jsonText, sendCachedJson, sendJson } from './answer.ts'
import { bodyReader, noBody } from './body.ts'
import type { Caller } from './caller.ts'
import { changeHandler } from './change-handler.ts'
import type { ErrorContext } from './client-error.ts'
import { sendOutcome } from './delivery.ts'
import { assertUp, locateSlot, parameterReader } from './locate.ts'
import type { Handle } from './routes.ts'
import { SlotForWrite } from './write-guard.ts'

/** An endpoint of a service with its handler. */
export interface ServedEndpoint {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: CheckedHandler
  readonly service: ModuleService
}

/** Creates the handler of an endpoint, one of the three below, depending on its effect and handler. */
export function endpointHandler(served: ServedEndpoint, context: ServiceContext): Handle {
  if (served.endpoint.effect === 'read' && served.handler.kind === 'bus') return readHandler(served, served.handler, context)
  if (served.endpoint.method === 'POST' || served.endpoint.effect === 'action') return writeHandler(served, context)
  return directHandler(served, context)
}

interface Target {
  readonly slot: SlotApi
  readonly parameters: Readonly<Record<string, number>>
}

/** Checks that the device is up, and then slot and item: in behaviour.md "Status codes" after version and path, before the method. */
export function locator(
  { endpoint, service }: ServedEndpoint,
  context: ServiceContext,
): (values: readonly string[], caller: Caller | undefined) => Target {
  const read = parameterReader(endpoint, 1)
  return (values, caller) => {
    assertUp(context)
    const slot = locateSlot(values[0] as string, service, context, caller)
    return { slot, parameters: read(values) }
  }
}

function handlerContextOf(slot: SlotApi, { hostDevices, log }: ServiceContext, readOnly: boolean): HandlerContext {
  return { slot, hostDevices, log, readOnly }
}

/** Key of a reading for sharing and caching: the endpoint and its parameters. */
function readKey({ name, endpoint }: ServedEndpoint): (parameters: Target['parameters']) => string {
  const parameterNames = Object.keys(endpoint.parameters ?? {})
  if (parameterNames.length === 0) return () => name
  return (parameters) => `${name} ${parameterNames.map((parameter) => parameters[parameter]).join(' ')}`
}

/** Reads from the module; simultaneous requests share a reading. Uses the cache for a second if the contract allows it. */
function readHandler(served: ServedEndpoint, handler: CheckedHandler & { kind: 'bus' }, context: ServiceContext): Handle {
  const { endpoint, service } = served
  const locate = locator(served, context)
  const keyOf = readKey(served)
  const cached = endpoint.caching === 'one-second'
  const isWatched = service.readings?.[served.name] !== undefined
  const isObserved = service.journal?.readings?.[served.name] !== undefined
  const send = cached ? sendCachedJson : sendJson
  const errors = errorsOf(served, context)

  async function read(
    { slot, parameters }: Target,
    { key, fresh }: { readonly key: string; readonly fresh: boolean },
    response: ServerResponse,
  ): Promise<void> {
    const cache = context.caches.of(slot)
    const outcome = await slot.read(key, { fresh }, async (exchange) => {
      const finish = cache.begin()
      // The reply goes to all requests that share this reading.
      const reading = await handler.run(exchange, { body: undefined, parameters }, handlerContextOf(slot, context, true))
      if (isWatched) context.readings.keep(slot, served.name, reading)
      if (isObserved) context.observer?.answered(slot, served.name, reading)
      return finish(jsonText(reading))
    })
    if (cached) cache.put(key, outcome)
    if (!response.headersSent) send(response, outcome.body)
  }

  return (request, response, { values, caller }) => {
    const target = locate(values, caller)
    const fresh = requestsNoCache(request.headers['cache-control'])
    const key = keyOf(target.parameters)
    const body = cached && !fresh ? context.caches.of(target.slot).get(key) : undefined
    if (body === undefined) {
      return context.running.run(request, response, errors, () => read(target, { key, fresh }, response))
    }
    sendCachedJson(response, body)
    return undefined
  }
}

/** Answers without the bus, at once if possible. */
function directHandler(served: ServedEndpoint, context: ServiceContext): Handle {
  const { handler } = served
  const locate = locator(served, context)
  const errors = errorsOf(served, context)

  return (request, response, { values, caller }) => {
    const { slot, parameters } = locate(values, caller)
    const isReadOnly = caller?.readOnly === true
    const outcome = run(handler, { body: undefined, parameters }, handlerContextOf(slot, context, isReadOnly), context.power)
    if (outcome instanceof Promise) {
      return context.running.run(request, response, errors, async () => sendOutcome(request, response, await outcome))
    }
    sendOutcome(request, response, outcome)
    return undefined
  }
}

/** Changes the module, in order of arrival. */
function writeHandler(served: ServedEndpoint, context: ServiceContext): Handle {
  const { name, endpoint, handler, service } = served
  const { observer, power } = context
  // A reset that fails may have reset the module.
  const isObserved = service.journal !== undefined && (service.journal.writes?.[name] !== undefined || name === 'reset')
  const observe = isObserved ? observer : undefined
  return changeHandler<Target>(
    {
      effect: endpoint.effect,
      of: { service: service.contract.service, endpoint: name },
      locate: locator(served, context),
      bodyOf: endpoint.method === 'GET' ? noBody : bodyReader(compileBody(endpoint), context.limits),
      run: ({ slot, parameters }, body, sender) => {
        const request = { body, parameters }
        const observed: Observed = (work) =>
          observe === undefined ? work() : observedWrite(observe, slot, { endpoint: name, request, kind: handler.kind, work })
        const own = new SlotForWrite(slot, endpoint, sender, context.guard)
        return run(handler, request, handlerContextOf(own, context, false), power, observed)
      },
      errors: errorsOf(served, context),
    },
    context,
  )
}

function errorsOf({ service: { refusal } }: ServedEndpoint, { rack, log }: ServiceContext): ErrorContext {
  return { rack, log, refusal }
}

/** Runs the part of a handler that talks to the module, and reports its end. */
type Observed = (work: () => unknown) => unknown

function run(
  handler: CheckedHandler,
  request: CheckedRequest,
  context: HandlerContext,
  power: PowerGate,
  observed: Observed = (work) => work(),
): unknown {
  const { slot } = context
  switch (handler.kind) {
    case 'direct':
      return observed(() => handler.run(request, context))
    case 'bus':
      // Inside the job: the next write of the slot has not begun.
      return slot.write(async (exchange) => observed(() => handler.run(exchange, request, context)))
    case 'power':
      return observed(() => handler.run((configuration) => power.apply(slot, judgedAgain(slot, configuration)), request, context))
  }
}

/** A power configuration waits twice, in its slot and in the device: it is judged after both. */
function judgedAgain(slot: SlotApi, configuration: PowerConfiguration): PowerConfiguration {
  const need: PowerConfiguration['need'] = (descriptor) => {
    if (slot instanceof SlotForWrite) slot.check()
    return configuration.need(descriptor)
  }
  return { ...configuration, need }
}

/** Whether a request asks for an uncached value: `no-cache` among other `Cache-Control` directives, in any case. */
function requestsNoCache(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && cacheControl.split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache')
}
