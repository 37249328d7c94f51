import type { FastifyReply } from 'fastify'
import type { ServiceContext } from '../service-context.ts'
import type { PathRequest } from './endpoint-handler.ts'
import { requestCounter } from './request-counter.ts'
import type { CountedEndpoint } from './request-statistics.ts'

/** Answers a request for which there is a route. */
export type Handle = (request: PathRequest, reply: FastifyReply) => unknown

/** A place in the router, and what is done for it. */
export interface Route extends CountedEndpoint {
  /** In the router's notation: `/notification/:pin`. */
  readonly url: string
  /** Makes what answers: when it is asked for the first time, as most is never asked of most processes. */
  readonly handler: () => Handle
}

/** The routes of one HTTP application, in the order in which they were added. Their requests are counted. */
export class Routes {
  readonly #context: ServiceContext
  readonly #routes: Route[] = []
  readonly #handles: Handle[] = []

  constructor(context: ServiceContext) {
    this.#context = context
  }

  get all(): readonly Route[] {
    return this.#routes
  }

  add(route: Route): void {
    this.#routes.push(route)
    this.#context.requests.expect(route)
  }

  /** Answers a request for the route with this number, counted from 0. */
  handle(number: number, request: PathRequest, reply: FastifyReply): unknown {
    const handle = this.#handles[number] ?? this.#make(number)
    return handle(request, reply)
  }

  #make(number: number): Handle {
    const route = this.#routes[number]
    if (route === undefined) throw new RangeError(`there is no route ${number}`)
    const handle = requestCounter<PathRequest>(route, this.#context)(route.handler())
    this.#handles[number] = handle
    return handle
  }
}
