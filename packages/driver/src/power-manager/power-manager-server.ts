import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Clock, type Log, Mutex, type Timer } from '@slotwire/core'
import type { PowerManager } from '../power/power-budget.ts'
import { limitWarnings } from '../slot/notification-log.ts'
import { StallTimer } from '../stall-timer.ts'
import { ANSWER_DEADLINE_MS, GRANT_DEADLINE_MS, grantSession } from './grant-session.ts'
import { MessageConnection } from './message-connection.ts'
import { openPowerSocket, type PowerSocket } from './power-socket.ts'

/** Most connections at a time. For one more, the oldest without a request is closed. */
export const MAX_CONNECTIONS = 32
/** The owner of the socket and its group may connect. */
const SOCKET_MODE = 0o660
/** A turn longer than all its deadlines together is stuck, in milliseconds. */
const MAX_TURN_MS = 2 * (ANSWER_DEADLINE_MS + GRANT_DEADLINE_MS)

/** How often the socket file is checked, in milliseconds. */
export const SOCKET_CHECK_MS = 5000

interface PowerManagerServerOptions {
  /** Path of the Unix socket; its folder must exist. */
  readonly socket: string
  /** Makes the decisions, for one driver at a time. */
  readonly manager: PowerManager
  readonly clock: Clock
  readonly log: Log
}

/** A power manager that drivers reach at a socket. */
export type PowerManagerServer = Awaited<ReturnType<typeof servePowerManager>>

/** Serves a power manager to drivers at a socket; wire-protocol.md section 4. Rejects with `PowerSocketError`, which names the remedy. */
export async function servePowerManager(options: PowerManagerServerOptions) {
  const { manager, clock, log } = options
  const warnings = limitWarnings(clock, log)
  const context = { manager, clock, log, warnings, turns: new Mutex(), turn: new StallTimer(clock, MAX_TURN_MS) }
  const connections = new Map<MessageConnection, Promise<void>>()
  const take = (socket: Socket): void => {
    if (connections.size >= MAX_CONNECTIONS) closeOldestIdle(connections)
    if (connections.size >= MAX_CONNECTIONS) {
      socket.destroy()
      return
    }
    const connection = new MessageConnection(socket, clock)
    const session = grantSession(connection, context).finally(() => connections.delete(connection))
    connections.set(connection, session)
  }
  // A peer that has ended its side can still receive our last message.
  const server = createServer({ allowHalfOpen: true }, take)
  const place = await openPowerSocket(server, options.socket, SOCKET_MODE)
  // A failed accept (no descriptors left) does not affect other connections.
  server.on('error', (error) => log.error({ err: error }, 'a connection could not be accepted'))
  const watch = watchSocket(place, options)
  return {
    /** One sentence about what is stuck; undefined while drivers are served. */
    stuck: () => {
      if (context.turn.stuckSeconds === undefined) return place.lost()
      return 'the power configuration of a module does not end'
    },
    /** Removes the socket, closes every connection and withdraws every grant. */
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

/** Checks the socket file until it is cancelled. Logs when drivers cannot connect any more: nothing else would show it. */
function watchSocket(place: PowerSocket, { clock, log }: PowerManagerServerOptions): Timer {
  let before: string | undefined
  let timer: Timer
  const check = (): void => {
    const lost = place.lost()
    if (lost !== undefined && lost !== before) log.error({}, lost)
    before = lost
    timer = clock.after(SOCKET_CHECK_MS, check)
  }
  check()
  return { cancel: () => timer.cancel() }
}

function closeOldestIdle(connections: Map<MessageConnection, unknown>): void {
  const oldest = [...connections.keys()].find(({ hasMessage }) => !hasMessage)
  if (oldest === undefined) return
  oldest.close()
  connections.delete(oldest)
}
