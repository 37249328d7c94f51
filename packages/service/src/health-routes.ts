import { healthEndpoints } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { FastifyInstance } from 'fastify'
import { methodsOf } from './api-path.ts'
import type { FixedPath } from './fallback.ts'
import { sendJson } from './send.ts'
import type { ServiceContext } from './service-context.ts'

const SUCCESS = JSON.stringify({ status: 'success' })

/** `/slotwire/livez`: the process is alive. `/slotwire/readyz`: the modules have been looked at the device is up, and the service stays. */
export function addHealthRoutes(app: FastifyInstance, { rack, running }: ServiceContext): FixedPath[] {
  const { livez, readyz } = healthEndpoints
  app.route({ method: [...methodsOf(livez)], url: livez.path, handler: (_request, reply) => sendJson(reply, SUCCESS) })
  app.route({
    method: [...methodsOf(readyz)],
    url: readyz.path,
    handler: (_request, reply) => {
      if (rack.state === 'restarting') throw coreErrors.deviceRestarting()
      if (running.closing) throw coreErrors.stopping()
      if (!rack.ready) throw coreErrors.starting()
      sendJson(reply, SUCCESS)
    },
  })
  return [livez, readyz].map((endpoint) => ({ path: endpoint.path, methods: methodsOf(endpoint) }))
}
