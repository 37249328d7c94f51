import type { Log } from '@slotwire/core'

/** A log whose information and warnings are for whoever looks closely only, while `isQuiet`: what goes on and on is told once in full. */
export function quietWhile(log: Log, isQuiet: () => boolean): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log[isQuiet() ? 'debug' : 'info'](fields, message),
    warn: (fields, message) => log[isQuiet() ? 'debug' : 'warn'](fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}
