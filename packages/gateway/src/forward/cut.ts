import type { ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'

/** Breaks the connection so that the client knows that this answer is not whole, even one that ends with its connection. */
export function cut(response: ServerResponse): void {
  const { socket } = response
  // Where TLS runs, its own end of transmission is what is missing; a plain connection is reset.
  if (socket === null || socket instanceof TLSSocket) response.destroy()
  else socket.resetAndDestroy()
}
