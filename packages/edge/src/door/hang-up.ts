import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@slotwire/core'
import { type Answer, sendAnswer } from '@slotwire/service'

/** Time for a refused client to read the response before the connection is destroyed. */
const LINGER_MS = 1000

/** Closes a connection that the HTTP server cannot close, after an optional response. Destroys it later if it has not ended. */
export function hangUp(socket: Duplex, clock: Clock, answer?: Answer): void {
  if (socket.destroyed) return
  destroyLater(socket, clock)
  if (!socket.writable) {
    socket.destroy()
    return
  }
  // Read and drop further data: closing a connection with unread bytes would lose the response.
  socket.resume()
  if (answer === undefined || !(socket instanceof Socket)) {
    socket.end()
    return
  }
  const response = responseWithoutRequest(socket)
  response.once('finish', () => socket.end())
  sendAnswer(response, answer)
}

/** Makes the HTTP server read and drop data for a while before it closes this connection. */
export function lingerAtEnd(socket: Socket, clock: Clock): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return
    destroyLater(socket, clock)
    socket.end()
  }
}

function destroyLater(socket: Duplex, clock: Clock): void {
  const timer = clock.after(LINGER_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}

/** A response with the server's usual headers (`Date`, `Connection`). */
function responseWithoutRequest(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket))
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  return response
}
