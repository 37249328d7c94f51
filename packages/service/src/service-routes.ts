import { type Endpoint, genericEndpoints, versionRoot } from '@slotwire/contract'
import type { ModuleService } from './module-service.ts'
import { methodsOf, RESOURCE_VERSIONS } from './pipeline/api-path.ts'
import { handlersOf } from './pipeline/generic-handlers.ts'
import { assertUp, locator } from './pipeline/locate.ts'
import { moduleRequest } from './pipeline/module-request.ts'
import type { Routes } from './pipeline/routes.ts'
import { assertRootVersion, versionRootHandler } from './pipeline/version-root.ts'
import type { ServiceContext } from './service-context.ts'

/** Routes of one module service: version root, generic endpoints, and the contract's endpoints. */
export function addServiceRoutes(routes: Routes, module: ModuleService, context: ServiceContext): void {
  const { service, endpoints } = module.contract
  const base = `/api/${service}`
  routes.add({
    service,
    endpoint: 'versionRoot',
    path: base,
    methods: methodsOf(versionRoot),
    check: ([version]) => {
      assertUp(context)
      assertRootVersion(service, version)
    },
    handler: () => versionRootHandler(module, context),
  })
  const handlers = handlersOf(module)
  for (const [name, endpoint] of Object.entries<Endpoint>({ ...genericEndpoints, ...endpoints })) {
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`${service}: the endpoint ${name} has no handler`)
    const served = { name, endpoint, handler, service: module }
    for (const version of RESOURCE_VERSIONS) {
      routes.add({
        service,
        endpoint: name,
        path: `${base}/${version}/{slot}${endpoint.path}`,
        methods: methodsOf(endpoint),
        check: (values, caller) => locator(served, context)(values, caller),
        handler: () => moduleRequest(served, context),
      })
    }
  }
}
