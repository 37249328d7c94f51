import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Answer } from '../pipeline/answer.ts'

/** Ends a connection where the HTTP server cannot, with an answer where one is due. */
export function endRaw(socket: Duplex, answer?: Answer): void {
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
  const { status, headers, body } = answer
  const response = responseWithoutRequest(socket)
  response.once('finish', () => socket.end())
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** Has the server's own headers (`Date`, `Connection`) on it, as any other. */
function responseWithoutRequest(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket))
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  return response
}
