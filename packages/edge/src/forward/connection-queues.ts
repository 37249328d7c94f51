import type { Socket } from 'node:net'

/** A request of a client connection, waiting or running. */
export interface Queued {
  /** Called when all earlier requests of the connection have ended. */
  readonly start: () => void
}

/** The requests of each client connection: one at a time, in the order of arrival. */
export class ConnectionQueues<Request extends Queued> {
  readonly #queues = new WeakMap<Socket, Request[]>()
  readonly #limit: number

  /** `limit`: most requests that may wait per connection. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Starts the request now or later; false if too many are waiting. */
  add(connection: Socket, request: Request): boolean {
    const queue = this.#queues.get(connection) ?? []
    if (queue.length > this.#limit) return false
    this.#queues.set(connection, queue)
    queue.push(request)
    if (queue.length === 1) request.start()
    return true
  }

  /** Removes a request that has ended or is never started, and starts the next one. */
  remove(connection: Socket, request: Request): void {
    const queue = this.#queues.get(connection) ?? []
    const index = queue.indexOf(request)
    if (index < 0) return
    queue.splice(index, 1)
    if (index === 0) queue[0]?.start()
  }
}
