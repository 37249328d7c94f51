import type { IncomingMessage, ServerResponse } from 'node:http'
import { coreErrors, SlotwireError } from '@slotwire/core'
import { isSafe } from '../listener/request-head.ts'
import type { ServiceContext } from '../service-context.ts'
import { type Answer, errorAnswer, sendAnswer, sendFailure } from './answer.ts'
import { type AskedPath, askedPath, placeOf, SUPPORTED_VERSION, versionSupport } from './api-path.ts'
import { assertUp } from './locate.ts'
import type { CountedEndpoint } from './request-statistics.ts'

/** Answers a request. `values` are the parameters of its path, as text and in order. It has answered when it returns, or its promise settles. */
export type Handle = (request: IncomingMessage, response: ServerResponse, values: readonly string[]) => void | Promise<unknown>

/** What is served at a path. */
export interface Route extends CountedEndpoint {
  /** As a contract has it: `/api/io/1.0/{slot}/notification/{pin}`. A parameter stands for a decimal number. */
  readonly path: string
  /** Throws what is wrong with the parameters: that is said before anything about the method. */
  readonly check?: (values: readonly string[]) => void
  /** Makes what answers: when it is asked for the first time, as most is never asked of most processes. */
  readonly handler: () => Handle
}

/** A route, and what answers there once it has been asked. */
interface Served {
  readonly route: Route
  readonly place: string
  handle: Handle | undefined
}

/** All that one HTTP application serves. Requests are counted. */
export class Routes {
  readonly #context: ServiceContext
  /** By method and place: `GET /api/io/1.0/{}/notification/{}`. */
  readonly #served = new Map<string, Served>()

  constructor(context: ServiceContext) {
    this.#context = context
  }

  /** Throws when the path is served with one of these methods already. */
  add(route: Route): void {
    const served: Served = { route, place: placeOf(route.path), handle: undefined }
    for (const method of route.methods) {
      const key = `${method} ${served.place}`
      if (this.#served.has(key)) throw new Error(`${method} ${route.path} is served twice`)
      this.#served.set(key, served)
    }
    this.#context.requests.expect(route)
  }

  /** Answers a request, whatever it asks for. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request
    const asked = askedPath(url)
    const served = asked && this.#served.get(`${method} ${asked.place}`)
    if (asked === undefined || served === undefined) {
      this.#refuse(request, response, asked)
    } else {
      served.handle ??= counted(served.route, this.#context)
      void served.handle(request, response, asked.values)
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, asked: AskedPath | undefined): void {
    const { requests, recordWrite } = this.#context
    const refusal = this.#refusal(request.method ?? '', asked)
    sendAnswer(response, refusal)
    requests.countUnmatched(refusal.status)
    if (!isSafe(request.method)) recordWrite(request, { status: refusal.status, durationMs: 0 })
  }

  /** What is wrong with a request that nothing takes, in the order of behaviour.md "Status codes": version, path, slot, item, method. */
  #refusal(method: string, asked: AskedPath | undefined): Answer {
    if (asked === undefined) return errorAnswer(coreErrors.malformedRequest({ reason: 'the path is not valid percent-encoding' }))
    const served = [...new Set(this.#served.values())].filter(({ place }) => place === asked.place)
    try {
      if (served[0] === undefined) throw this.#unknown(asked.segments)
      served[0].route.check?.(asked.values)
    } catch (error) {
      if (error instanceof SlotwireError) return errorAnswer(error)
      throw error
    }
    const methods = served.flatMap(({ route }) => route.methods)
    return errorAnswer(coreErrors.methodNotAllowed({ method, allowed: methods.join(' or ') }), { allow: methods.join(', ') })
  }

  /** The error for a path at which nothing is served. */
  #unknown([root, name, version = '']: readonly string[]): SlotwireError {
    if (root !== 'api') return coreErrors.notFound()
    assertUp(this.#context)
    const isService = this.#context.services.some(({ contract }) => contract.service === name)
    const isVersion = isService && versionSupport(version) !== 'no-version'
    if (!isVersion || versionSupport(version) === 'resources') return coreErrors.notFound()
    return coreErrors.versionNotSupported({ version, supported: SUPPORTED_VERSION })
  }
}

/** The handler of a route, with its requests counted and what it throws answered. */
function counted({ service, endpoint, methods, handler }: Route, context: ServiceContext): Handle {
  const { requests } = context
  const { clock } = requests
  const handle = handler()
  const record = requests.record({ service, endpoint, method: methods[0] ?? 'GET' })
  const headRecord = methods.includes('HEAD') ? requests.record({ service, endpoint, method: 'HEAD' }) : record

  async function wait(answering: Promise<unknown>, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await answering
    } catch (error) {
      sendFailure(request, response, error, context)
    }
  }

  return (request, response, values) => {
    const startedMs = clock.now()
    const own = request.method === 'HEAD' ? headRecord : record
    try {
      const answering = handle(request, response, values)
      if (answering !== undefined) {
        return wait(answering, request, response).then(() => own.count(response.statusCode, clock.now() - startedMs))
      }
    } catch (error) {
      sendFailure(request, response, error, context)
    }
    own.count(response.statusCode, clock.now() - startedMs)
    return undefined
  }
}
