import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@slotwire/core'
import { type Answer, sendAnswer } from '@slotwire/service'

/** How long a refused client may take to notice, before its connection is cut. */
const LINGER_MS = 1000

/** Ends a connection where the HTTP server cannot, with an answer where one is due. It is cut some time later, if it has not ended by then. */
export function hangUp(socket: Duplex, clock: Clock, answer?: Answer): void {
  if (socket.destroyed) return
  cutLater(socket, clock)
  if (!socket.writable) {
    socket.destroy()
    return
  }
  // What the client still sends is read and dropped: a connection closed with unread bytes loses the answer.
  socket.resume()
  if (answer === undefined || !(socket instanceof Socket)) {
    socket.end()
    return
  }
  const response = responseWithoutRequest(socket)
  response.once('finish', () => socket.end())
  sendAnswer(response, answer)
}

/** Has the HTTP server, when it would close this connection after an answer, read and drop for a while what still comes. */
export function lingerAtEnd(socket: Socket, clock: Clock): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return
    cutLater(socket, clock)
    socket.end()
  }
}

function cutLater(socket: Duplex, clock: Clock): void {
  const timer = clock.after(LINGER_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}

/** Has the server's own headers (`Date`, `Connection`) on it, as any other. */
function responseWithoutRequest(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket))
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  return response
}
