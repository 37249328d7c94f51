import { type Endpoint, genericEndpoints, versionRoot } from '@slotwire/contract'
import type { CheckedHandler, ModuleService } from './module-service.ts'
import { methodsOf, RESOURCE_VERSIONS, routerPath } from './pipeline/api-path.ts'
import { endpointHandler } from './pipeline/endpoint-handler.ts'
import { genericHandlers } from './pipeline/generic-handlers.ts'
import type { Routes } from './pipeline/routes.ts'
import { versionRootHandler } from './pipeline/version-root.ts'
import type { ServiceContext } from './service-context.ts'

/** The routes of one module service: its version root, what every module answers, and its contract's endpoints. */
export function addServiceRoutes(routes: Routes, module: ModuleService, context: ServiceContext): void {
  const { service, endpoints } = module.contract
  const base = `/api/${service}`
  const root = {
    service,
    endpoint: 'versionRoot',
    methods: methodsOf(versionRoot),
    handler: () => versionRootHandler(module, context),
  }
  for (const url of [base, `${base}/:version`]) routes.add({ ...root, url })
  const handlers: Readonly<Record<string, CheckedHandler>> = { ...genericHandlers, ...module.handlers }
  for (const [name, endpoint] of Object.entries<Endpoint>({ ...genericEndpoints, ...endpoints })) {
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`${service}: the endpoint ${name} has no handler`)
    const route = {
      service,
      endpoint: name,
      methods: methodsOf(endpoint),
      handler: () => endpointHandler({ name, endpoint, handler, service: module }, context),
    }
    for (const version of RESOURCE_VERSIONS) routes.add({ ...route, url: `${base}/${version}/:slot${routerPath(endpoint)}` })
  }
}
