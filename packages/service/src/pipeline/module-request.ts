import { compileBody, type Endpoint, successSchema } from '@slotwire/contract'
import { coreErrors, SlotwireError } from '@slotwire/core'
import { MAX_JOBS_AHEAD, type SlotApi, type WriteOptions } from '@slotwire/driver'
import { ModuleRefusal } from '@slotwire/sdbp'
import type { BusHandler, Handler, HandlerContext, ModuleService } from '../module-service.ts'
import type { ServedRack, ServiceContext } from '../service-context.ts'
import { type ErrorContext, jsonText, sendCachedJson, sendJson, sendOutcome } from './answer.ts'
import { parameterReader } from './api-path.ts'
import { bodyReader, noBody } from './body.ts'
import { slotHint } from './hints.ts'
import { type Caller, departureOf, type Handle, requestAbandoned } from './request.ts'
import { recordedChange } from './write-records.ts'

/** An endpoint of a service with its handler. */
export interface ServedEndpoint {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: Handler
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
function reading(served: ServedEndpoint, handler: BusHandler, context: ServiceContext): Handle {
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
  const { name, handler } = served
  if (handler.kind !== 'direct') throw new Error(`${name}: a GET with a handler that changes the module must be an action`)
  const locate = locator(served, context)
  const errors = errorsOf(served, context)
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

const SUCCESS = { status: 'success' } as const

/** Changes the module: at its turn in the slot, unless the handler needs no bus. */
function write(served: ServedEndpoint, context: ServiceContext): Handle {
  const { name, endpoint, handler, service } = served
  const { power } = context
  const locate = locator(served, context)
  const bodyOf = endpoint.method === 'GET' ? noBody : bodyReader(compileBody(endpoint), context)
  const guard = endpoint.reach === 'none' ? undefined : context.guard
  // A reset that fails may have reset the module.
  const isObserved = service.journal !== undefined && (service.journal.writes?.[name] !== undefined || name === 'reset')
  const observer = isObserved ? context.observer : undefined
  const target = { service: service.contract.service, endpoint: name }
  const change = { effect: endpoint.effect, target, errors: errorsOf(served, context) }
  return recordedChange(change, context, async (record, request, response, { values, caller }) => {
    const { slot, parameters } = locate(values, caller)
    record.slot = { slot: slot.slot, session: slot.session }
    const body = await bodyOf(request, response)
    record.body = body

    const { 'slotwire-lease': secret, 'if-match': match } = request.headers
    const lease = { slot: slot.slot, reach: endpoint.reach, secret: secret?.toString(), caller }
    const sessions = endpoint.reach === 'none' ? undefined : sessionsIn(match)
    const inTurn: WriteOptions = {
      turn: endpoint.turn,
      limit: MAX_JOBS_AHEAD,
      wait: departureOf(request, response),
      // A power configuration waits twice, in its slot and in the device: this comes after each wait.
      before: () => {
        if (request.socket.destroyed || response.headersSent) throw requestAbandoned()
        guard?.begin(lease)
        assertSession(slot, sessions)
      },
    }
    const checked = { body, parameters }
    const own = handlerContextOf(slot, context, false)
    /** Reports the end of the write to the observer, before later writes of the slot end. */
    const observed = async (work: () => unknown): Promise<unknown> => {
      const begun = slot.session
      let reply: unknown
      let hasEffect = true
      try {
        const result = await work()
        reply = endpoint.reply === successSchema ? SUCCESS : result
        return reply
      } catch (error) {
        hasEffect = mayHaveChanged(error, handler.kind)
        throw error
      } finally {
        // A power configuration restarts the module first: what it sets is in the session that it ends in.
        const session = handler.kind === 'power' ? slot.session : begun
        if (hasEffect) observer?.written(slot, { endpoint: name, session, request: checked, reply })
      }
    }
    try {
      switch (handler.kind) {
        case 'direct':
          return await observed(() => handler.run(checked, own))
        case 'bus':
          // Observed inside the job: the next write of the slot has not begun.
          return await slot.write((exchange) => observed(() => handler.run(exchange, checked, own)), inTurn)
        case 'power':
          return await observed(() => handler.run((wanted) => power.apply(slot, wanted, inTurn), checked, own))
      }
    } finally {
      guard?.end(lease)
    }
  })
}

/** Throws `deviceRestarting` or, until the modules are known, `starting`. The first check of every path below `/api/`. */
export function assertUp({ rack }: { readonly rack: Pick<ServedRack, 'state' | 'ready'> }): void {
  if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
  if (!rack.ready) throw coreErrors.starting()
}

/** Checks that the device is up, and then slot and item: in behaviour.md "Status codes" after version and path, before the method. */
export function locator({ endpoint, service }: Pick<ServedEndpoint, 'endpoint' | 'service'>, context: ServiceContext) {
  const read = parameterReader(endpoint, 1)
  return (values: readonly string[], caller: Caller | undefined) => {
    assertUp(context)
    const slot = locateSlot(values[0] as string, service, context, caller)
    return { slot, parameters: read(values) }
  }
}

const MS_PER_SECOND = 1000

/** The module in the slot of a path. Throws `moduleNotAnswering` or `slotNotUsable` if this service has no usable module there. */
export function locateSlot(
  segment: string,
  service: ModuleService,
  context: Pick<ServiceContext, 'rack' | 'services'>,
  caller: Caller | undefined,
): SlotApi {
  const number = Number(segment)
  const { rack } = context
  const type = service.vendorProductId
  const slot = rack.find(number, type)
  if (slot !== undefined) return slot
  const silent = rack.inventory().find((occupied) => occupied.slot === number && occupied.descriptor?.vendorProductId === type)
  if (silent?.silentMs !== undefined) {
    throw coreErrors.moduleNotAnswering({ slot: number, seconds: Math.ceil(silent.silentMs / MS_PER_SECOND) })
  }
  const hint = slotHint(number, service, context, caller)
  throw coreErrors.slotNotUsable({ slot: segment, service: service.contract.service }, { hint })
}

const TAG = /(W\/)?"([^"]*)"/g
/** What remains of a list of tags without their content. */
const LIST = /^[\t ,]*"(?:[\t ]*,[\t ,]*")*[\t ,]*$/

/** The sessions of an `If-Match` (RFC 9110, 13.1.1); undefined: any. A weak tag matches none. */
function sessionsIn(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  if (!LIST.test(header.replaceAll(TAG, '"'))) {
    throw coreErrors.malformedRequest({ reason: 'If-Match is a device_session in double quotes, or several with commas, or *' })
  }
  return [...header.matchAll(TAG)].flatMap(([, weak, session = '']) => (weak === undefined ? [session] : []))
}

function assertSession({ slot, session, sessionEnds }: SlotApi, sessions: readonly string[] | undefined): void {
  if (sessions !== undefined && (sessionEnds || !sessions.includes(session))) throw coreErrors.sessionChanged({ slot })
}

const { queueFull, stopping, requestOvertaken } = coreErrors
const BEFORE_THE_MODULE: readonly unknown[] = [queueFull, stopping, requestOvertaken, requestAbandoned].map(
  ({ definition }) => definition,
)
const INTERNAL_STATUS = 500

/**
 * Whether a failed write may have changed the module: it did not refuse it, and the write did not fail before it. A power configuration that
 * fails has restarted the module, even if the module refused it.
 */
function mayHaveChanged(error: unknown, kind: Handler['kind']): boolean {
  if (error instanceof SlotwireError && BEFORE_THE_MODULE.includes(error.definition)) return false
  if (kind === 'power') return true
  if (!(error instanceof SlotwireError)) return !(error instanceof ModuleRefusal)
  return error.status >= INTERNAL_STATUS && !(error.cause instanceof ModuleRefusal)
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
