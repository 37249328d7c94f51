import type { IncomingMessage, ServerResponse } from 'node:http'
import { defineErrors } from '@slotwire/core'

/** No client gets it: it is in the log and in records. */
export const { requestAbandoned } = defineErrors({
  requestAbandoned: {
    status: 499,
    message: 'the client closed its connection before the turn of its request came: nothing was done',
  },
})

/** Whether the client of a waiting request has closed its connection. */
export interface Departure {
  /** Known at once: the connection is closed. */
  readonly isClosed: boolean
  /** Call this when the request begins to wait. */
  waits(): void
  /** Call this at the end of the wait. */
  isGone(): Promise<boolean>
}

/**
 * A client that has closed its connection looks like one that has only ended its own side and still reads. An interim response (102, RFC
 * 9110, 15.2) shows the difference: a closed connection answers it with a reset, which the next write finds.
 */
export function departureOf({ socket, httpVersion }: IncomingMessage, response: ServerResponse): Departure {
  /** Resolves with whether the connection is broken. Sends nothing while other data waits, or to a client of HTTP/1.0, which knows none. */
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (socket.destroyed || response.socket !== socket || socket.writableLength > 0 || httpVersion === '1.0') {
        resolve(socket.destroyed)
      } else response.writeProcessing((error?: Error | null) => resolve(error instanceof Error || socket.destroyed))
    })
  const onEnd = (): void => void ask()
  return {
    get isClosed() {
      return socket.destroyed
    },
    waits: () => {
      if (socket.readableEnded) onEnd()
      else socket.once('end', onEnd)
    },
    isGone: async () => {
      socket.off('end', onEnd)
      return socket.destroyed || (socket.readableEnded && (await ask()))
    },
  }
}
