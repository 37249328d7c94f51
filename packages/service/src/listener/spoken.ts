import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** What has been said on a connection. */
export interface Spoken {
  /** The response to its last request. */
  latest: ServerResponse | undefined
  /** Whether nothing more is said on it. */
  refused: boolean
}

/** Kept with the connection itself: weak maps on the side would cost every request some hundred nanoseconds. */
const SPOKEN = Symbol('spoken')

/** What has been said on this connection; to be written to by its door. */
export function spokenOn(socket: Duplex & { [SPOKEN]?: Spoken }): Spoken {
  return (socket[SPOKEN] ??= { latest: undefined, refused: false })
}
