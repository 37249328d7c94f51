import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Calls `takeBack` once if the response has not gone out when its connection ends. To be called before the response is sent. The
 * socket is watched, not the response: one that waits behind another is never told that its connection is gone.
 */
export function watchDelivery(request: IncomingMessage, response: ServerResponse, takeBack: () => void): void {
  const { socket } = request
  if (socket.destroyed) {
    takeBack()
    return
  }
  socket.once('close', takeBack)
  response.once('finish', () => socket.off('close', takeBack))
}
