import { healthEndpoints } from '@slotwire/contract'
import { coreErrors } from '@slotwire/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodsOf } from './api-path.ts'
import type { FixedPath } from './fallback.ts'
import { requestCounter } from './request-counter.ts'
import { sendJson } from './send.ts'
import type { ServiceContext } from './service-context.ts'

const SUCCESS = JSON.stringify({ status: 'success' })

type Handler = (request: FastifyRequest, reply: FastifyReply) => void

/** `/slotwire/livez`: the process is alive. `/slotwire/readyz`: the modules have been looked at the device is up, and the service stays. */
export function addHealthRoutes(app: FastifyInstance, context: ServiceContext): FixedPath[] {
  const handlers: Readonly<Record<keyof typeof healthEndpoints, Handler>> = {
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
    const endpoint = healthEndpoints[name]
    const methods = methodsOf(endpoint)
    const count = requestCounter({ service: 'slotwire', endpoint: name, methods }, context)
    app.route({ method: [...methods], url: endpoint.path, handler: count(handlers[name]) })
    return { path: endpoint.path, methods }
  })
}
