import type { IncomingMessage, ServerResponse } from 'node:http'
import { nextTurn } from '@slotwire/core'
import { Delivery } from '../alerts.ts'
import { jsonText, sendJson, sendText } from './answer.ts'

/**
 * Calls `undo` once if the connection ends before the response was sent. Call this before sending. Watches the socket too: a response
 * that waits behind another gets no event when the connection ends.
 */
export function watchDelivery(request: IncomingMessage, response: ServerResponse, undo: () => void): void {
  const { socket } = request
  // After a failed write, the error is known before the socket is destroyed.
  const isBroken = (): boolean => socket.destroyed || Boolean(socket.errored)
  if (isBroken()) {
    undo()
    return
  }
  socket.once('close', undo)
  // A failed write also emits `finish`. Prepended, because other listeners may close the connection normally.
  response.prependOnceListener('finish', () => {
    socket.off('close', undo)
    if (isBroken()) {
      undo()
      return
    }
    // A reset that arrived during the write is known after the next poll of the socket.
    const settle = (): void => {
      if (socket.errored) undo()
    }
    nextTurn().then(nextTurn).then(settle, settle)
  })
}

/** The reply of an endpoint whose media type is `text/plain`. */
export class TextReply {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Sends the result of a handler; undoes a delivery that fails. Sends nothing if the request was refused meanwhile. */
export function sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: unknown): void {
  const { headersSent } = response
  if (outcome instanceof TextReply) {
    if (!headersSent) sendText(response, outcome.text)
    return
  }
  if (!(outcome instanceof Delivery)) {
    if (!headersSent) sendJson(response, jsonText(outcome))
    return
  }
  if (headersSent) {
    outcome.undo()
    return
  }
  watchDelivery(request, response, outcome.undo)
  sendJson(response, jsonText(outcome.reply))
}
