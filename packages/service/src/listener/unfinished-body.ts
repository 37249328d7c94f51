import type { IncomingMessage } from 'node:http'
import type { SlotwireError } from '@slotwire/core'

type Fail = (error: SlotwireError) => void

const waiting = new WeakMap<IncomingMessage, Fail>()

/** Has `fail` called when the door finds out that the rest of this request's body will never come: it is late, or not well formed. */
export function onUnfinishedBody(request: IncomingMessage, fail: Fail): void {
  waiting.set(request, fail)
}

/** Tells whoever waits for the body of this request why it will never be whole. */
export function failBody(request: IncomingMessage, error: SlotwireError): void {
  waiting.get(request)?.(error)
}
