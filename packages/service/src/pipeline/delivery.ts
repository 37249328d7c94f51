import type { IncomingMessage, ServerResponse } from 'node:http'
import { nextTurn } from '@slotwire/core'
import { Delivery } from '../alerts.ts'
import { sendJson } from './answer.ts'

/**
 * Calls `takeBack` once if the response has not gone out when its connection ends. To be called before the response is sent. The
 * socket is watched, not only the response: one that waits behind another is never told that its connection is gone.
 */
export function watchDelivery(request: IncomingMessage, response: ServerResponse, takeBack: () => void): void {
  const { socket } = request
  // Between a failed write and the end of its socket there is a moment in which only the error is known.
  const isBroken = (): boolean => socket.destroyed || Boolean(socket.errored)
  if (isBroken()) {
    takeBack()
    return
  }
  socket.once('close', takeBack)
  // A response also finishes by a failed write. Asked first: whoever else hears of the end may close the connection in due course.
  response.prependOnceListener('finish', () => {
    socket.off('close', takeBack)
    if (isBroken()) {
      takeBack()
      return
    }
    // A reset that was on its way while the system took the answer is known when the socket has been looked at once more.
    const settle = (): void => {
      if (socket.errored) takeBack()
    }
    nextTurn().then(nextTurn).then(settle, settle)
  })
}

/** Sends what a handler returned, and has it taken back where it is not delivered. Nothing is sent to a request that was refused meanwhile. */
export function sendOutcome(request: IncomingMessage, response: ServerResponse, outcome: unknown): void {
  const { headersSent } = response
  if (!(outcome instanceof Delivery)) {
    if (!headersSent) sendJson(response, JSON.stringify(outcome))
    return
  }
  if (headersSent) {
    outcome.takeBack()
    return
  }
  watchDelivery(request, response, outcome.takeBack)
  sendJson(response, JSON.stringify(outcome.reply))
}
