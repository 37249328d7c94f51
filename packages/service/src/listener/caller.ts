import type { IncomingMessage } from 'node:http'

/** Who asks, as the door that the request came through has found. */
export interface Caller {
  /** The door decides what a caller may do, not the address: a local program at the network door is a network caller. */
  readonly door: 'loopback' | 'network'
  /** IP address of the client: that of the connection, or what a configured proxy says. */
  readonly address: string
  /** The token that it came with; none at the loopback door. */
  readonly token?: { readonly id: string; readonly name: string }
  /** May change nothing: requests with an effect are refused, notifications stay pending. */
  readonly readOnly: boolean
}

/** Kept with the request itself: a weak map on the side would cost every request some hundred nanoseconds. */
const CALLER = Symbol('caller')

declare module 'node:http' {
  interface IncomingMessage {
    [CALLER]?: Caller
  }
}

/** Notes who sent this request. A request without a note came from within the process, which may do everything. */
export function setCaller(request: IncomingMessage, caller: Caller): void {
  request[CALLER] = caller
}

/** Who sent this request; undefined: the process itself. */
export function callerOf(request: IncomingMessage): Caller | undefined {
  return request[CALLER]
}
