import { type Log, silentLog } from '@slotwire/core'
import { pino } from 'pino'
import type { LogLevel } from './network-options.ts'

const STANDARD_ERROR = 2

/** The log of a command that serves: JSON lines on standard error. */
export function standardLog(level: LogLevel): Log {
  return level === 'silent' ? silentLog : pino({ level, base: null }, pino.destination({ fd: STANDARD_ERROR, sync: true }))
}
