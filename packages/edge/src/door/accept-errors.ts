import type { Server } from 'node:net'
import type { Clock, Log } from '@slotwire/core'

/** Interval of log lines, in milliseconds: accept errors usually come in large numbers. */
const LOG_EVERY_MS = 10_000

/**
 * Keeps a server listening when the system fails to accept a connection (ENOBUFS, ENOMEM, EMFILE, ECONNABORTED). The connection is lost;
 * later ones may succeed. Logs at most one line every ten seconds, with the number of failures since the last line.
 */
export function surviveAcceptErrors(server: Server, { clock, log }: { readonly clock: Clock; readonly log: Log }): void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  server.on('error', (error) => {
    failures++
    const now = clock.now()
    if (now - loggedAt < LOG_EVERY_MS) return
    log.error({ err: error, failures }, 'connections were not accepted')
    loggedAt = now
    failures = 0
  })
}
