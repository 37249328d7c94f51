import type { Socket } from 'node:net'

/** A request of a client connection: waits for its turn, unless it has it. */
export interface Queued {
  /** Called when all before it on its connection have ended. */
  readonly start: () => void
}

/** The requests of each client connection: one at a time, in the order in which they were sent. */
export class ConnectionQueues<Request extends Queued> {
  readonly #queues = new WeakMap<Socket, Request[]>()
  readonly #limit: number

  /** `limit`: how many may wait on one connection. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Starts the request now or later; false: too many wait already. */
  add(connection: Socket, request: Request): boolean {
    const queue = this.#queues.get(connection) ?? []
    if (queue.length > this.#limit) return false
    this.#queues.set(connection, queue)
    queue.push(request)
    if (queue.length === 1) request.start()
    return true
  }

  /** The request has ended, or will never begin. */
  remove(connection: Socket, request: Request): void {
    const queue = this.#queues.get(connection) ?? []
    const index = queue.indexOf(request)
    if (index < 0) return
    queue.splice(index, 1)
    if (index === 0) queue[0]?.start()
  }
}
