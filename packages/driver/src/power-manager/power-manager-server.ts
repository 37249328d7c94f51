import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Clock, type Log, Mutex, type Timer } from '@slotwire/core'
import type { PowerManager } from '../power/power-budget.ts'
import { sparseWarnings } from '../slot/sparse-warnings.ts'
import { StallTimer } from '../stall-timer.ts'
import { ANSWER_DEADLINE_MS, GRANT_DEADLINE_MS, grantSession } from './grant-session.ts'
import { MessageConnection } from './message-connection.ts'
import { openPowerSocket, type PowerSocket } from './power-socket.ts'

/** Connections at a time: of one more, the oldest that has not asked for anything yet is cut. */
export const MOST_CONNECTIONS = 32
/** Whoever owns the socket, and its group, may connect. */
const SOCKET_MODE = 0o660
/** A turn that takes longer than all its deadlines together is stuck, in milliseconds. */
const TURN_LIMIT_MS = 2 * (ANSWER_DEADLINE_MS + GRANT_DEADLINE_MS)

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
  const { manager, clock, log } = options
  const warnings = sparseWarnings(clock, log)
  const context = { manager, clock, log, warnings, turns: new Mutex(), turn: new StallTimer(clock, TURN_LIMIT_MS) }
  const connections = new Map<MessageConnection, Promise<void>>()
  const take = (socket: Socket): void => {
    if (connections.size >= MOST_CONNECTIONS) cutOldestIdle(connections)
    if (connections.size >= MOST_CONNECTIONS) {
      socket.destroy()
      return
    }
    const connection = new MessageConnection(socket, clock)
    const session = grantSession(connection, context).finally(() => connections.delete(connection))
    connections.set(connection, session)
  }
  // Who has said its own last word may still hear ours.
  const server = createServer({ allowHalfOpen: true }, take)
  const place = await openPowerSocket(server, options.socket, SOCKET_MODE)
  // A failed accept (no descriptors left) leaves the others as they are.
  server.on('error', (error) => log.error({ err: error }, 'a driver could not be let in'))
  const watch = watched(place, options)
  return {
    stuck: () => {
      if (context.turn.stuckSeconds === undefined) return place.lost()
      return 'the power configuration of a module does not come to its end'
    },
    close: async () => {
      watch.cancel()
      place.remove()
      const closed = once(server, 'close')
      server.close()
      for (const connection of connections.keys()) connection.close()
      await Promise.all([...connections.values(), closed])
    },
  }
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

function cutOldestIdle(connections: Map<MessageConnection, unknown>): void {
  const oldest = [...connections.keys()].find(({ heard }) => !heard)
  if (oldest === undefined) return
  oldest.close()
  connections.delete(oldest)
}
