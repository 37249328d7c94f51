import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { sendFailure } from './send.ts'
import type { ServiceContext } from './service-context.ts'

/** Methods that the framework would read a body for. The engine reads bodies itself: the slot is judged before the body. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'] as const

const NO_QUERY = {}

/** The contracts are the schemas; handing out these keeps the framework from loading two schema compilers that nobody uses. */
const noCompiler = () => (): never => {
  throw new Error('routes carry no schemas: the contract checks bodies')
}

/** The framework, told to leave alone what the engine does itself: bodies, queries, schemas, HEAD routes, logging. `refuse` gets what no route takes. */
export function createApp(
  context: ServiceContext,
  refuse: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: () => '',
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: context.limits.headerBytes,
      querystringParser: () => NO_QUERY,
    },
    // A target that is no path, or no valid encoding of one.
    frameworkErrors: (_error, request, reply) => refuse(request as FastifyRequest, reply as FastifyReply),
  })
  for (const method of METHODS_WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.setNotFoundHandler(refuse)
  app.setErrorHandler((error, request, reply) => {
    sendFailure(reply, request, error, context)
  })
  return app
}
