import { compileBody, type Endpoint, extensionBody, isBodyOptional } from '@slotwire/contract'
import type { ServiceContext } from '../service-context.ts'
import { methodsOf } from './api-path.ts'
import { bodyReader, noBody } from './body.ts'
import { TextReply } from './delivery.ts'
import type { CheckedExtensionHandler, ServedExtension } from './extension.ts'
import { parameterReader } from './locate.ts'
import { recordedChange } from './recorded-change.ts'
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
  const { log } = context
  const validate = compileBody({ ...endpoint, body: extensionBody(endpoint) })
  const read = parameterReader(endpoint)
  const bodyOf = endpoint.method === 'GET' ? noBody : bodyReader(validate, context, isBodyOptional(endpoint))
  const kind = { effect: endpoint.effect, errors: { log } }
  return recordedChange(kind, context, async ({ request, response, values, caller }, record) => {
    const parameters = read(values)
    const body = await bodyOf(request, response)
    record.body = body
    const reply = await handler({ body, parameters }, { caller, headers: request.headers })
    return endpoint.mediaType === 'text/plain' ? new TextReply(reply as string) : reply
  })
}
