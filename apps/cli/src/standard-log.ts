import { type Log, silentLog } from '@slotwire/core'
import { withoutSecrets } from '@slotwire/gateway'
import { pino } from 'pino'
import type { LogLevel } from './network-options.ts'

const STANDARD_ERROR = 2

/** The log of a command that serves: JSON lines on standard error. */
export function standardLog(level: LogLevel): Log {
  if (level === 'silent') return silentLog
  const lines = pino.destination({ fd: STANDARD_ERROR, sync: true })
  // A client may put its token where none belongs, behind a question mark for one: no line ever holds it.
  return pino({ level, base: null }, { write: (line: string) => lines.write(withoutSecrets(line)) })
}
