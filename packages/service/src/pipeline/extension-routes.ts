import { compileBody, type Endpoint, extensionBody, isBodyOptional } from '@slotwire/contract'
import type { ServiceContext } from '../service-context.ts'
import { methodsOf } from './api-path.ts'
import { bodyReader, noBody } from './body.ts'
import { changeHandler } from './change-handler.ts'
import { TextReply } from './delivery.ts'
import type { CheckedExtensionHandler, ServedExtension } from './extension.ts'
import { parameterReader } from './locate.ts'
import type { Handle, Routes } from './routes.ts'

/** Routes of an extension. They work in any state of the device; metrics count them as one endpoint. */
export function addExtensionRoutes(routes: Routes, extension: ServedExtension, context: ServiceContext): void {
  const { name: tag, endpoints } = extension.contract
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const handler = extension.handlers[name]
    if (handler === undefined) throw new Error(`${tag}: the endpoint ${name} has no handler`)
    routes.add({
      service: 'slotwire',
      endpoint: tag,
      path: endpoint.path,
      methods: methodsOf(endpoint),
      check: parameterReader(endpoint),
      handler: () => extensionHandler(endpoint, handler, context),
    })
  }
}

function extensionHandler(endpoint: Endpoint, handler: CheckedExtensionHandler, context: ServiceContext): Handle {
  const { limits, log } = context
  const validate = compileBody({ ...endpoint, body: extensionBody(endpoint) })
  const read = parameterReader(endpoint)
  return changeHandler(
    {
      effect: endpoint.effect,
      locate: (values) => ({ parameters: read(values) }),
      bodyOf: endpoint.method === 'GET' ? noBody : bodyReader(validate, limits, isBodyOptional(endpoint)),
      run: ({ parameters }, body, sender) => {
        const reply = handler({ body, parameters }, sender)
        return endpoint.mediaType === 'text/plain' ? Promise.resolve(reply as string).then((text) => new TextReply(text)) : reply
      },
      errors: { log },
    },
    context,
  )
}
