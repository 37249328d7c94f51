import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import { nextTurn } from '@slotwire/core'
import fastify, { type FastifyInstance, type HTTPMethods, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { type Answering, answeringOf, setAnswering } from './answering.ts'
import type { Route } from './routes.ts'

/** Methods that the framework would read a body for. The engine reads bodies itself: the slot is judged before the body. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'] as const

/** Routers that are remembered: more than there are different sets of routes in any process. */
const MOST_ROUTERS = 8

const NO_QUERY = {}

/** The contracts are the schemas; handing out these keeps the framework from loading two schema compilers that nobody uses. */
const noCompiler = () => (): never => {
  throw new Error('routes carry no schemas: the contract checks bodies')
}

/** What tells one router from another. */
export interface RouterOptions {
  readonly routes: readonly Pick<Route, 'methods' | 'url'>[]
  /** Longest parameter in a path. */
  readonly parameterLength: number
}

/**
 * The framework, with routes that lead to whichever application a request is for: it is the largest part of an application by far, and
 * the same for all that have the same routes.
 */
export class Router {
  readonly #app: FastifyInstance
  /** Whose request is being injected at this moment. */
  #injecting: Answering | undefined

  constructor(options: RouterOptions) {
    this.#app = createFramework(options, (request) => this.#answeringOf(request))
  }

  /** To be awaited before anything else; once is enough. */
  async ready(): Promise<this> {
    await this.#app.ready()
    // The framework takes itself for started only after it has told so.
    await nextTurn()
    return this
  }

  route(request: IncomingMessage, response: ServerResponse, answering: Answering): void {
    setAnswering(request, answering)
    this.#app.routing(request, response)
  }

  /** Answers a request without a socket. */
  inject(request: InjectOptions | string, answering: Answering): Promise<LightMyRequestResponse> {
    return new Promise((resolve, reject) => {
      this.#injecting = answering
      try {
        // The framework makes the request itself, and has it routed before it returns.
        this.#app.inject(request, (error, response) => {
          if (response === undefined) reject(error ?? new Error('a request without a socket had no answer'))
          else resolve(response)
        })
      } finally {
        this.#injecting = undefined
      }
    })
  }

  #answeringOf(request: IncomingMessage): Answering {
    const known = answeringOf(request)
    if (known !== undefined) return known
    if (this.#injecting === undefined) throw new Error('a request that is for no application')
    setAnswering(request, this.#injecting)
    return this.#injecting
  }
}

/** The framework, told to leave alone what the engine does itself: bodies, queries, schemas, HEAD routes, logging. */
function createFramework(
  { routes, parameterLength }: RouterOptions,
  of: (request: IncomingMessage) => Answering,
): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: () => '',
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: parameterLength,
      querystringParser: () => NO_QUERY,
    },
    // A target that is no path, or no valid encoding of one.
    frameworkErrors: (_error, request, reply) => of(request.raw).refuse(request, reply),
  })
  // A method that this Node.js does not parse (QUERY before 20.20) never gets here, and the framework refuses its name.
  for (const method of METHODS_WITH_BODY) {
    if (METHODS.includes(method)) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
  app.setNotFoundHandler((request, reply) => of(request.raw).refuse(request, reply))
  app.setErrorHandler((error, request, reply) => of(request.raw).fail(request, reply, error))
  for (const [place, { methods, url }] of routes.entries()) {
    app.route<{ Params: Readonly<Record<string, string>> }>({
      method: [...methods] as HTTPMethods[],
      url,
      handler: (request, reply) => of(request.raw).routes.handle(place, request, reply),
    })
  }
  return app
}

const routers = new Map<string, Promise<Router>>()

/**
 * The router for these routes; applications with the same routes share it. Nothing of what it answers stays with it. Rejects for routes that
 * cannot be told apart; that is not remembered.
 */
export function routerFor(options: RouterOptions): Promise<Router> {
  const { routes, parameterLength } = options
  const key = [parameterLength, ...routes.map(({ methods, url }) => `${methods.join()} ${url}`)].join('\n')
  const known = routers.get(key)
  if (known !== undefined) return known
  const router = createRouter(options)
  routers.set(key, router)
  router.catch(() => {
    if (routers.get(key) === router) routers.delete(key)
  })
  const [oldest] = routers.keys()
  if (routers.size > MOST_ROUTERS && oldest !== undefined) routers.delete(oldest)
  return router
}

async function createRouter(options: RouterOptions): Promise<Router> {
  return new Router(options).ready()
}
