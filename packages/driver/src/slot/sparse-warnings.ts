import type { Clock, Log } from '@slotwire/core'

/** Shortest time between two warnings, in milliseconds: whoever makes them happen cannot fill the log. */
export const WARNING_INTERVAL_MS = 10_000

/** Warns at once, but not more often than `WARNING_INTERVAL_MS`; says how many warnings were left out. */
export type SparseWarnings = Pick<Log, 'warn'>

export function sparseWarnings(clock: Clock, log: Log): SparseWarnings {
  let last = Number.NEGATIVE_INFINITY
  let omitted = 0
  return {
    warn: (fields, message) => {
      if (clock.now() - last < WARNING_INTERVAL_MS) {
        omitted++
        return
      }
      log.warn(omitted === 0 ? fields : { ...fields, omitted }, message)
      last = clock.now()
      omitted = 0
    },
  }
}
