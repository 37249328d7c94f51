import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@slotwire/core'

/** How long a refused client may take to notice, before its connection is cut. */
const LINGER_MS = 1000

/** Cuts a connection some time from now, unless it has ended by then: one that is closed with bytes unread loses its answer. */
export function cutLater(socket: Duplex, clock: Clock): void {
  const timer = clock.after(LINGER_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}

/** Has the HTTP server, when it would close this connection after an answer, read and drop for a while what still comes. */
export function lingerAtEnd(socket: Socket, clock: Clock): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return
    cutLater(socket, clock)
    socket.end()
  }
}
