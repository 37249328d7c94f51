import { createServer, type Server, type Socket } from 'node:net'
import type { Clock, Log, Timer } from '@slotwire/core'
import type { PowerManager } from '../power/power-budget.ts'
import { SparseWarnings } from '../slot/sparse-warnings.ts'
import { ANSWER_DEADLINE_MS, type DanceSurroundings, dance, GRANT_DEADLINE_MS } from './dance.ts'
import { DanceQueue } from './dance-queue.ts'
import { MessageConnection } from './message-connection.ts'
import { openPowerSocket, type PowerSocket } from './power-socket.ts'

/** Connections at a time: of one more, the oldest that has not asked for anything yet is cut. */
export const MOST_CONNECTIONS = 32
/** Drivers that may wait for their turn: more than there are slots. */
export const MOST_WAITING = 16
/** Whoever owns the socket, and its group, may connect. */
const SOCKET_MODE = 0o660
/** A turn that takes longer than all its deadlines together is stuck, in milliseconds. */
const STUCK_MS = 2 * (ANSWER_DEADLINE_MS + GRANT_DEADLINE_MS)

/** How often the socket is looked for in its place, in milliseconds. */
export const SOCKET_LOOK_MS = 5000

export interface PowerManagerServerOptions {
  /** Path of the Unix socket; its folder must be there. */
  readonly socket: string
  /** Who decides: asked by one driver at a time. */
  readonly manager: PowerManager
  readonly clock: Clock
  readonly log: Log
}

/** A power manager that drivers reach at a socket. */
export interface PowerManagerServer {
  /** Undefined while drivers are served, else one sentence that says what does not go on. */
  stuck(): string | undefined
  /** Takes the socket away and cuts every driver; what they were granted is taken back. */
  close(): Promise<void>
}

/** Lets drivers ask a power manager at a socket; wire-protocol.md section 4. Rejects with `PowerSocketError`, which says what to do. */
export async function servePowerManager(options: PowerManagerServerOptions): Promise<PowerManagerServer> {
  const drivers = new Drivers(options)
  // Who has said its own last word may still hear ours.
  const server = createServer({ allowHalfOpen: true }, (socket) => drivers.take(socket))
  const place = await openPowerSocket(server, options.socket, SOCKET_MODE)
  // A failed accept (no descriptors left) leaves the others as they are.
  server.on('error', (error) => options.log.error({ err: error }, 'a driver could not be let in'))
  const watch = watched(place, options)
  const stuck = (): string | undefined => drivers.stuck() ?? place.lost()
  return { stuck, close: () => close(server, place, drivers, watch) }
}

/** Says so when drivers cannot come any more: nobody else would. Until it is cancelled. */
function watched(place: PowerSocket, { clock, log }: PowerManagerServerOptions): Timer {
  let before: string | undefined
  let timer: Timer
  const look = (): void => {
    const lost = place.lost()
    if (lost !== undefined && lost !== before) log.error({}, lost)
    before = lost
    timer = clock.after(SOCKET_LOOK_MS, look)
  }
  look()
  return { cancel: () => timer.cancel() }
}

async function close(server: Server, place: PowerSocket, drivers: Drivers, watch: Timer): Promise<void> {
  watch.cancel()
  place.remove()
  const closed = new Promise((resolve) => server.close(resolve))
  await drivers.close()
  await closed
}

/** All who are connected. */
class Drivers {
  readonly #surroundings: DanceSurroundings
  readonly #connections = new Map<MessageConnection, Promise<void>>()

  constructor({ manager, clock, log }: PowerManagerServerOptions) {
    const queue = new DanceQueue(MOST_WAITING, clock)
    this.#surroundings = { manager, clock, log, queue, warnings: new SparseWarnings(clock, log) }
  }

  take(socket: Socket): void {
    if (this.#connections.size >= MOST_CONNECTIONS) this.#cutOldestIdle()
    if (this.#connections.size >= MOST_CONNECTIONS) {
      socket.destroy()
      return
    }
    const connection = new MessageConnection(socket, this.#surroundings.clock)
    const danced = dance(connection, this.#surroundings).finally(() => this.#connections.delete(connection))
    this.#connections.set(connection, danced)
  }

  stuck(): string | undefined {
    return this.#surroundings.queue.takenForMs() > STUCK_MS
      ? 'the power configuration of a module does not come to its end'
      : undefined
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.keys()) connection.close()
    await Promise.all(this.#connections.values())
  }

  #cutOldestIdle(): void {
    for (const connection of this.#connections.keys()) {
      if (connection.heard) continue
      connection.close()
      this.#connections.delete(connection)
      return
    }
  }
}
