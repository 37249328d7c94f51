import type { Server } from 'node:net'
import type { Clock, Log } from '@slotwire/core'

/** How often a line may say so, in milliseconds: what keeps a connection from being accepted keeps many. */
const LOG_EVERY_MS = 10_000

/**
 * Has a listening server go on serving when the system fails to accept a connection (ENOBUFS, ENOMEM, EMFILE, ECONNABORTED): that
 * connection is lost, the next one may not be. A line says so, at most every ten seconds, with how many there were since the last one.
 */
export function surviveAcceptErrors(server: Server, { clock, log }: { readonly clock: Clock; readonly log: Log }): void {
  let saidAt = Number.NEGATIVE_INFINITY
  let failures = 0
  server.on('error', (error) => {
    failures++
    const now = clock.now()
    if (now - saidAt < LOG_EVERY_MS) return
    log.error({ err: error, failures }, 'connections were not accepted')
    saidAt = now
    failures = 0
  })
}
