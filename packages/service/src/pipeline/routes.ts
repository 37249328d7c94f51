import type { IncomingMessage, ServerResponse } from 'node:http'
import { processEndpoints } from '@slotwire/contract'
import { coreErrors, SlotwireError } from '@slotwire/core'
import type { ServiceContext } from '../service-context.ts'
import { type Answer, errorAnswer, sendAnswer, sendFailure } from './answer.ts'
import { methodsOf, parseRequestPath, placeOf, type RequestPath, SUPPORTED_VERSION, versionSupport } from './api-path.ts'
import { pathHint } from './hints.ts'
import { assertUp } from './module-request.ts'
import { type Caller, type Handle, isSafe, type MatchedRequest } from './request.ts'
import type { RequestRecord } from './request-statistics.ts'

/** What is served at a path. */
export interface Route {
  readonly service: string
  /** Name in the contract, for metrics. */
  readonly endpoint: string
  /** The first is the endpoint's own; `HEAD` is counted separately. */
  readonly methods: readonly string[]
  /** As in a contract: `/api/io/1.0/{slot}/notification/{pin}`. A parameter is a decimal number. */
  readonly path: string
  /** Throws an error of the parameters; runs before the method is checked. */
  readonly check?: (values: readonly string[], caller: Caller | undefined) => void
  /** Creates the handler at the first request: most routes of most processes are never used. */
  readonly handler: () => Handle
}

/** A route with its counts, and its handler once created. */
interface ServedRoute {
  readonly route: Route
  readonly record: RequestRecord
  handle?: Handle
}

/** A parsed target with its routes. */
interface RouteLookup {
  /** Undefined: invalid percent-encoding. */
  readonly path: RequestPath | undefined
  readonly served: readonly ServedRoute[]
}

/** Targets kept in the cache: polling clients repeat few targets. */
const MAX_CACHED = 256
/** Longest target in the cache, in characters: limits its memory. */
const MAX_CACHED_CHARACTERS = 200
const NOTHING: readonly ServedRoute[] = []

/** The routes of one HTTP application. Counts requests. */
export class Routes {
  /** Routes by place: `/api/io/1.0/{}/notification/{}`. */
  readonly #places = new Map<string, ServedRoute[]>()
  /** Routes for every path below theirs, by the first two segments. */
  readonly #below = new Map<string, readonly ServedRoute[]>()

  /** Cache by target. */
  readonly #lookups = new Map<string, RouteLookup>()

  constructor(private readonly context: ServiceContext) {}

  /** Throws if the path already has a route with one of these methods. */
  add(route: Route): void {
    const place = placeOf(route.path)
    const served = this.#places.get(place) ?? []
    const twice = route.methods.find((method) => served.some(({ route: { methods } }) => methods.includes(method)))
    if (twice !== undefined) throw new Error(`${twice} ${route.path} is served twice`)
    this.#places.set(place, [...served, this.#served(route)])
  }

  /** Adds a route for every path below `/slotwire/{name}`. */
  addBelow(route: Route): void {
    this.#below.set(route.path, [this.#served(route)])
  }

  /** Adds the route of an endpoint of this process, outside the API of the modules. */
  addOwn(name: keyof typeof processEndpoints, handle: Handle): void {
    const endpoint = processEndpoints[name]
    this.add({ service: 'slotwire', endpoint: name, path: endpoint.path, methods: methodsOf(endpoint), handler: () => handle })
  }

  #served(route: Route): ServedRoute {
    const { service, endpoint, methods } = route
    return { route, record: this.context.requests.record({ service, endpoint, method: methods[0] ?? 'GET' }) }
  }

  /** Answers any request. */
  answer(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void {
    const { method = '', url = '' } = request
    const lookup = this.#find(url)
    for (const served of lookup.served) {
      if (!served.route.methods.includes(method)) continue
      void this.#handle(served, request, response, { values: lookup.path?.values ?? [], caller })
      return
    }
    this.#refuse(request, response, caller, lookup)
  }

  /** Runs the handler of a route; sends a thrown error, and counts the request. */
  async #handle(served: ServedRoute, request: IncomingMessage, response: ServerResponse, match: MatchedRequest): Promise<void> {
    const { requests } = this.context
    const startedMs = requests.clock.now()
    const handle = (served.handle ??= served.route.handler())
    try {
      const answering = handle(request, response, match)
      if (answering !== undefined) await answering
    } catch (error) {
      sendFailure(request, response, error, this.context)
    }
    const record = request.method === 'HEAD' ? requests.record({ ...served.record.labels, method: 'HEAD' }) : served.record
    record.count(response.statusCode, requests.clock.now() - startedMs)
  }

  /** Answers a request as if nothing was at its path. */
  answerUnknown(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void {
    this.#refuse(request, response, caller, { path: parseRequestPath(request.url ?? ''), served: NOTHING })
  }

  #find(url: string): RouteLookup {
    const known = this.#lookups.get(url)
    if (known !== undefined) return known
    const path = parseRequestPath(url)
    const lookup = { path, served: this.#places.get(path?.place ?? '') ?? this.#routesAbove(path) }
    if (lookup.served === NOTHING || url.length > MAX_CACHED_CHARACTERS) return lookup
    if (this.#lookups.size >= MAX_CACHED) this.#lookups.clear()
    this.#lookups.set(url, lookup)
    return lookup
  }

  /** Routes of the place whose part a path is. */
  #routesAbove(path: RequestPath | undefined): readonly ServedRoute[] {
    const [root = '', name = '', ...rest] = path?.segments ?? []
    return (rest.length === 0 ? undefined : this.#below.get(`/${root}/${name}`)) ?? NOTHING
  }

  #refuse(request: IncomingMessage, response: ServerResponse, caller: Caller | undefined, lookup: RouteLookup): void {
    const { requests, recordWrite } = this.context
    const refusal = this.#refusal(request.method ?? '', lookup, caller)
    sendAnswer(response, refusal)
    requests.countUnmatched(refusal.status)
    if (!isSafe(request.method)) recordWrite(request, caller, { status: refusal.status, durationMs: 0 })
  }

  /** The error for a request without a route, in the order of behaviour.md "Status codes": version, path, slot, item, method. */
  #refusal(method: string, { path, served }: RouteLookup, caller: Caller | undefined): Answer {
    if (path === undefined) return errorAnswer(coreErrors.malformedRequest({ reason: 'the path is not valid percent-encoding' }))
    try {
      if (served[0] === undefined) throw this.#unknown(path.segments, caller)
      served[0].route.check?.(path.values, caller)
    } catch (error) {
      if (error instanceof SlotwireError) return errorAnswer(error)
      throw error
    }
    const methods = served.flatMap(({ route }) => route.methods)
    return errorAnswer(coreErrors.methodNotAllowed({ method, allowed: methods.join(' or ') }), { allow: methods.join(', ') })
  }

  /** The error for a path without routes. */
  #unknown(segments: readonly string[], caller: Caller | undefined): SlotwireError {
    const context = this.context
    const [root, name, version = ''] = segments
    if (root === 'api') assertUp(context)
    const isService = root === 'api' && context.services.some(({ contract }) => contract.service === name)
    const isVersion = isService && versionSupport(version) !== 'no-version'
    if (!isVersion || versionSupport(version) === 'resources') {
      const paths = [...this.#places.values()].flatMap((served) => served.map(({ route }) => route.path))
      return coreErrors.notFound({ hint: pathHint(segments, { contracts: context.contracts, paths, context, caller }) })
    }
    return coreErrors.versionNotSupported({ version, supported: SUPPORTED_VERSION })
  }
}
