import {
  compileBody,
  type Endpoint,
  type Extension,
  type ExtensionEndpoints,
  extensionBody,
  isBodyOptional,
  type ReplyOf,
} from '@slotwire/contract'
import type { ServiceContext } from '../service-context.ts'
import { TextReply } from './answer.ts'
import { methodsOf, parameterReader } from './api-path.ts'
import { bodyReader, noBody } from './body.ts'
import type { Handle, Request, RequestOf, Sender } from './request.ts'
import type { Routes } from './routes.ts'
import { recordedChange } from './write-records.ts'

/** Handles one endpoint of an extension. A thrown `SlotwireError` is sent to the client. The body is `{}` if the client sent none. */
export type ExtensionHandler<Of = Request, Reply = unknown> = (request: Of, sender: Sender) => Promise<Reply> | Reply

/** Handlers by name of the endpoint. */
export type ExtensionHandlers = Readonly<Record<string, ExtensionHandler>>

/** An extension with its handlers. */
export interface ServedExtension {
  readonly contract: Extension
  readonly handlers: ExtensionHandlers
  /** Called when the service starts to close: end everything that requests wait for. */
  readonly close?: () => void
}

/** Binds handlers to endpoints: one per endpoint, typed by its body, parameters and reply. */
export function extensionHandlers<const Endpoints extends ExtensionEndpoints>(
  _endpoints: Endpoints,
  handlers: { readonly [Name in keyof Endpoints]: ExtensionHandler<RequestOf<Endpoints[Name]>, ReplyOf<Endpoints[Name]>> },
): ExtensionHandlers {
  // The engine checks each request against the contract before it calls the handler.
  return handlers as ExtensionHandlers
}

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

function extensionHandler(endpoint: Endpoint, handler: ExtensionHandler, context: ServiceContext): Handle {
  const { log } = context
  const validate = compileBody({ ...endpoint, body: extensionBody(endpoint) })
  const read = parameterReader(endpoint)
  const bodyOf = endpoint.method === 'GET' ? noBody : bodyReader(validate, context, isBodyOptional(endpoint))
  const kind = { effect: endpoint.effect, errors: { log } }
  return recordedChange(kind, context, async (record, request, response, { values, caller }) => {
    const parameters = read(values)
    const body = await bodyOf(request, response)
    record.body = body
    const reply = await handler({ body, parameters }, { caller, headers: request.headers })
    return endpoint.mediaType === 'text/plain' ? new TextReply(reply as string) : reply
  })
}
