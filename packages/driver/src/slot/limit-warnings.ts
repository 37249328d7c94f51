import type { Clock, Log } from '@slotwire/core'

/** Shortest time between two warnings, in milliseconds: a peer cannot fill the log. */
export const WARNING_INTERVAL_MS = 10_000

/** Warns at once, but at most once in `WARNING_INTERVAL_MS`. Adds how many warnings were left out. */
export type LimitedWarnings = Pick<Log, 'warn'>

export function limitWarnings(clock: Clock, log: Log): LimitedWarnings {
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
