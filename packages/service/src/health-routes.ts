import { healthEndpoints } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import { methodsOf } from './pipeline/api-path.ts'
import type { FixedPath } from './pipeline/fallback.ts'
import type { Handle, Routes } from './pipeline/routes.ts'
import { sendJson } from './pipeline/send.ts'
import type { ServiceContext } from './service-context.ts'

const SUCCESS = JSON.stringify({ status: 'success' })

/** `/slotwire/livez`: the process is alive. `/slotwire/readyz`: the modules have been looked at the device is up, and the service stays. */
export function addHealthRoutes(routes: Routes, context: ServiceContext): FixedPath[] {
  const handlers: Readonly<Record<keyof typeof healthEndpoints, Handle>> = {
    livez: (_request, reply) => sendJson(reply, SUCCESS),
    readyz: (_request, reply) => {
      const { rack, running } = context
      if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
      if (running.closing) throw coreErrors.stopping()
      if (!rack.ready) throw coreErrors.starting()
      sendJson(reply, SUCCESS)
    },
  }
  return (['livez', 'readyz'] as const).map((name) => {
    const { path, ...endpoint } = healthEndpoints[name]
    const methods = methodsOf(endpoint)
    routes.add({ service: 'slotwire', endpoint: name, methods, url: path, handler: () => handlers[name] })
    return { path, methods }
  })
}
