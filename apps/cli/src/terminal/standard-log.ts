import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type Log, orElse, silentLog, visible } from '@slotwire/core'
import { withoutSecrets } from '@slotwire/network'
import { pino } from 'pino'
import type { LogOptions } from '../run/option-values.ts'
import { type Colors, colorsFor } from './text.ts'

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

/** Path of a write to a module, in the form for people: service and resource. */
const MODULE_PATH = /^\/api\/([^/]+)\/[^/]+\/\d+\/(.+)$/
/** Log levels of pino: how people see them, and their syslog priorities. Lower levels are for debugging. */
const LEVELS = [
  { level: 50, word: 'error: ', color: 'red', priority: 3 },
  { level: 40, word: 'warning: ', color: 'yellow', priority: 4 },
  { level: 30, word: '', color: undefined, priority: 6 },
] as const
const DEBUG = { word: '', color: undefined, priority: 7 } as const
const styleOf = (level: number) => LEVELS.find((each) => level >= each.level) ?? DEBUG

/** A line of the JSON log, for people at a terminal: `12:03:04 slot 3 io: output/state 200 2 ms`. Text of clients stays in one line. */
export function prettyLine(line: string, colors: Pick<Colors, 'red' | 'yellow'>): string {
  const { level, time, msg, twin, slot, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const clock = new Date(Number(time)).toTimeString().slice(0, 'hh:mm:ss'.length)
  const [service, what, rest] = happened(String(msg), slot, fields)
  const subjects = [twin === undefined ? '' : `twin ${plain(twin)}`, slot === undefined ? '' : `slot ${plain(slot)}`, service]
  const subject = subjects.filter(Boolean).join(' ')
  const details = Object.entries(rest).filter(([, value]) => value !== undefined)
  const remark = details.length === 0 ? '' : ` (${details.map(([name, value]) => detail(name, value)).join(', ')})`
  const { word, color } = styleOf(Number(level))
  const text = visible(`${clock} ${word}${subject}${subject === '' ? '' : ': '}${what}${remark}`)
  return `${color === undefined ? text : colors[color](text)}\n`
}

type LogFields = Readonly<Record<string, unknown>>

/** The service of a write, what happened, and the other fields. */
function happened(message: string, slot: unknown, fields: LogFields): readonly [service: string, what: string, rest: LogFields] {
  if (message !== 'write') return ['', message, fields]
  const { method, path, status, ms, ...rest } = fields
  const [, service, resource] = (slot === undefined ? undefined : MODULE_PATH.exec(plain(path))) ?? []
  const what =
    service === undefined ? `${plain(method)} ${plain(path)}` : `${method === 'POST' ? '' : `${plain(method)} `}${resource}`
  return [service ?? '', `${what} ${plain(status)} ${plain(ms)} ms`, rest]
}

function detail(name: string, value: unknown): string {
  if (name === 'reason') return plain(value)
  if (name === 'err' && typeof value === 'object' && value !== null && 'message' in value) return plain(value.message)
  return `${name} ${plain(value)}`
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Prints warnings and errors on standard error: a command has no other log. */
export function hintLog(hint: (text: string) => void): Log {
  const tell = (fields: object, message: string): void => hint(`slotwire: ${message}${reasonIn(fields)}\n`)
  return { ...silentLog, warn: tell, error: tell }
}

function reasonIn(fields: object): string {
  if ('err' in fields && fields.err instanceof Error) return ` (${fields.err.message})`
  if ('reason' in fields && typeof fields.reason === 'string') return ` (${fields.reason})`
  return ''
}

const LEVEL = /^\{"level":(\d+)/

/** Whether a file descriptor is connected to the journal; systemd.exec(5), `JOURNAL_STREAM`. */
export function isJournal(environment: NodeJS.ProcessEnv, fd: number): boolean {
  const stream = environment['JOURNAL_STREAM']
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return stream === `${dev}:${ino}`
}

/** The priority prefix of a line of the JSON log, which the journal reads and removes; sd-daemon(3). */
export function priorityOf(line: string): string {
  return `<${styleOf(Number(LEVEL.exec(line)?.[1])).priority}>`
}
