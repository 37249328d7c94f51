import { type Endpoint, genericEndpoints, versionRoot } from '@slotwire/contract'
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify'
import { methodsOf, RESOURCE_VERSIONS, routerPath } from './api-path.ts'
import { endpointHandler, type PathRequest, type RouteHandler } from './endpoint-handler.ts'
import { genericHandlers } from './generic-handlers.ts'
import type { CheckedHandler, ModuleService } from './module-service.ts'
import { requestCounter } from './request-counter.ts'
import type { ServiceContext } from './service-context.ts'
import { versionRootHandler } from './version-root.ts'

type CountedHandler = (request: PathRequest, reply: FastifyReply) => unknown

/** The routes of one module service: its version root, what every module answers, and its contract's endpoints. */
export function addServiceRoutes(app: FastifyInstance, service: ModuleService, context: ServiceContext): void {
  const { contract } = service
  const base = `/api/${contract.service}`
  const add = (url: string, endpoint: Pick<Endpoint, 'method' | 'effect'>, handler: CountedHandler): void => {
    app.route<{ Params: Record<string, string> }>({ method: [...methodsOf(endpoint)] as HTTPMethods[], url, handler })
  }
  const counted = (name: string, endpoint: Pick<Endpoint, 'method' | 'effect'>, handler: RouteHandler): CountedHandler =>
    requestCounter<PathRequest>({ service: contract.service, endpoint: name, methods: methodsOf(endpoint) }, context)(handler)
  const root = counted('versionRoot', versionRoot, versionRootHandler(service, context))
  add(base, versionRoot, root)
  add(`${base}/:version`, versionRoot, root)
  const handlers: Readonly<Record<string, CheckedHandler>> = { ...genericHandlers, ...service.handlers }
  for (const [name, endpoint] of Object.entries<Endpoint>({ ...genericEndpoints, ...contract.endpoints })) {
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`${contract.service}: the endpoint ${name} has no handler`)
    const serve = counted(name, endpoint, endpointHandler({ name, endpoint, handler, service }, context))
    for (const version of RESOURCE_VERSIONS) add(`${base}/${version}/:slot${routerPath(endpoint)}`, endpoint, serve)
  }
}
