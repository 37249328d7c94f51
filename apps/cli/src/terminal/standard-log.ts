import { type Log, silentLog } from '@slotwire/core'
import { withoutSecrets } from '@slotwire/gateway'
import { pino } from 'pino'
import type { LogLevel } from '../run/option-values.ts'
import { isJournal, withPriority } from '../systemd/journal.ts'

const STANDARD_ERROR = 2

/** The log of a server: JSON lines on standard error, with a priority prefix for the journal. */
export function standardLog(level: LogLevel, environment: NodeJS.ProcessEnv): Log {
  if (level === 'silent') return silentLog
  const lines = pino.destination({ fd: STANDARD_ERROR, sync: true })
  const format = isJournal(environment, STANDARD_ERROR) ? withPriority : (line: string) => line
  // A client may send its token in a wrong place, such as a query string: remove it from every line.
  return pino({ level, base: null }, { write: (line: string) => lines.write(format(withoutSecrets(line))) })
}
