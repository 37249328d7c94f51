import { isatty } from 'node:tty'
import { type Log, silentLog } from '@slotwire/core'
import { withoutSecrets } from '@slotwire/network'
import { pino } from 'pino'
import type { LogOptions } from '../run/option-values.ts'
import { isJournal, priorityOf } from '../systemd/journal.ts'
import { colorsFor } from './colors.ts'
import { prettyLine } from './pretty-line.ts'

const STANDARD_ERROR = 2

/**
 * The log of a server on standard error: for people on a terminal, JSON lines elsewhere, unless an option says otherwise. With a priority
 * prefix for the journal.
 */
export function standardLog({ logLevel: level, logFormat }: LogOptions, environment: NodeJS.ProcessEnv): Log {
  if (level === 'silent') return silentLog
  const isTTY = isatty(STANDARD_ERROR)
  const colors = colorsFor({ isTTY }, environment)
  const isPretty = (logFormat ?? (isTTY ? 'pretty' : 'json')) === 'pretty'
  const formatted = (line: string): string => (isPretty ? prettyLine(line, colors) : line)
  let lost = 0
  // A full disk must not end the service: the line is lost, and the next one begins with an empty buffer.
  const open = (): ReturnType<typeof pino.destination> =>
    pino.destination({ fd: STANDARD_ERROR, sync: true }).once('error', () => {
      lost++
      lines = open()
    })
  let lines = open()
  const prefix = isJournal(environment, STANDARD_ERROR) ? priorityOf : () => ''
  // A client may send its token in a wrong place, such as a query string: remove it from every line.
  const write = (line: string): void => {
    const before = lost
    lines.write(prefix(line) + formatted(withoutSecrets(line)))
    if (lost === 0 || lost > before) return
    lost = 0
    log.warn({ lines: before }, 'lines of this log are lost: standard error could not be written')
  }
  const log = pino({ level, base: null }, { write })
  return log
}
