import type { Endpoint, Extension, ExtensionEndpoints, ReplyOf } from '@slotwire/contract'
import type { CheckedRequest, Request } from '../module-service.ts'
import type { Sender } from './request.ts'

/** Handles one endpoint of an extension. A thrown `SlotwireError` is sent to the client. */
export type ExtensionHandler<E extends Endpoint> = (request: Request<E>, sender: Sender) => Promise<ReplyOf<E>> | ReplyOf<E>

/** An `ExtensionHandler` without the types of its contract. The body is `{}` if the client sent none. */
export type CheckedExtensionHandler = (request: CheckedRequest, sender: Sender) => unknown

/** Handlers by name of the endpoint. */
export type CheckedExtensionHandlers = Readonly<Record<string, CheckedExtensionHandler>>

/** An extension with its handlers. */
export interface ServedExtension {
  readonly contract: Extension
  readonly handlers: CheckedExtensionHandlers
  /** Called when the service starts to close: end everything that requests wait for. */
  readonly close?: () => void
}

/** Binds handlers to endpoints: one per endpoint, typed by its body, parameters and reply. */
export function extensionHandlers<const Endpoints extends ExtensionEndpoints>(
  _endpoints: Endpoints,
  handlers: { readonly [Name in keyof Endpoints]: ExtensionHandler<Endpoints[Name]> },
): CheckedExtensionHandlers {
  // The engine checks each request against the contract before it calls the handler.
  return handlers as CheckedExtensionHandlers
}
