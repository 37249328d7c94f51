import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type Log, orElse, silentLog } from '@slotwire/core'
import { withoutSecrets } from '@slotwire/network'
import { pino } from 'pino'
import type { LogOptions } from '../run/option-values.ts'
import { isJournal, priorityOf } from '../systemd/journal.ts'
import { colorsFor } from './colors.ts'
import { prettyLine } from './pretty-line.ts'

const STANDARD_ERROR = 2

/**
 * An open pipe or terminal once more: a write fails at once while its reader stalls, and the other users of the descriptor notice nothing.
 * The descriptor itself for a file, and for a socket, as the journal's, which cannot be opened again: Node.js made it non-blocking as
 * `process.stderr`, for all its users.
 */
function ownDescription(descriptor: number): number {
  if (fstatSync(descriptor).isFile()) return descriptor
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY
  return orElse(descriptor, () => openSync(`/proc/self/fd/${descriptor}`, flags))
}

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
  const file = ownDescription(STANDARD_ERROR)
  let lost = 0
  let isCut = false
  // A full disk or a reader that stalls must not hold up the service: the line is lost. After half a line, the next begins a new one.
  const append = (line: string): void => {
    try {
      for (let rest = Buffer.from(isCut ? `\n${line}` : line); rest.length > 0; isCut = rest.length > 0)
        rest = rest.subarray(writeSync(file, rest))
    } catch {
      lost++
    }
  }
  const prefix = isJournal(environment, STANDARD_ERROR) ? priorityOf : () => ''
  // A client may send its token in a wrong place, such as a query string: remove it from every line.
  const write = (line: string): void => {
    const before = lost
    append(prefix(line) + formatted(withoutSecrets(line)))
    if (lost === 0 || lost > before) return
    lost = 0
    log.warn({ lines: before }, 'lines of this log are lost: standard error could not be written')
  }
  const log = pino({ level, base: null }, { write })
  return log
}
