import type { Endpoint, Extension, ExtensionEndpoints, ReplyOf } from '@slotwire/contract'
import type { CheckedRequest, Request } from '../module-service.ts'

/** Answers one endpoint of an extension. What it throws is told to the client, if it is a `SlotwireError`. */
export type ExtensionHandler<E extends Endpoint> = (request: Request<E>) => Promise<ReplyOf<E>> | ReplyOf<E>

/** The same as the engine calls it: the contract's types are behind it. The body is `{}` where the client sent none. */
export type CheckedExtensionHandler = (request: CheckedRequest) => unknown

/** By the name of the endpoint. */
export type CheckedExtensionHandlers = Readonly<Record<string, CheckedExtensionHandler>>

/** An extension as the engine serves it. */
export interface ServedExtension {
  readonly contract: Extension
  readonly handlers: CheckedExtensionHandlers
  /** Called when the service begins to close: nothing that requests wait for may last from now on. */
  readonly close?: () => void
}

/** Binds handlers to endpoints: one for each, with the types of its body, parameters and reply. */
export function extensionHandlers<const Endpoints extends ExtensionEndpoints>(
  _endpoints: Endpoints,
  handlers: { readonly [Name in keyof Endpoints]: ExtensionHandler<Endpoints[Name]> },
): CheckedExtensionHandlers {
  // The engine hands a handler only what the contract of its own endpoint has checked.
  return handlers as CheckedExtensionHandlers
}
