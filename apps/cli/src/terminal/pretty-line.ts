import { visible } from '@slotwire/core'
import type { Colors } from './colors.ts'

/** Path of a write to a module, in the form for people: service and resource. */
const MODULE_PATH = /^\/api\/([^/]+)\/[^/]+\/\d+\/(.+)$/
/** Log levels of pino that stand out. */
const LEVELS = [
  { level: 50, word: 'error: ', color: 'red' },
  { level: 40, word: 'warning: ', color: 'yellow' },
] as const

/** A line of the JSON log, for people at a terminal: `12:03:04 slot 3 io: output/state 200 2 ms`. Text of clients stays in one line. */
export function prettyLine(line: string, colors: Pick<Colors, 'red' | 'yellow'>): string {
  const { level, time, msg, twin, slot, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const clock = new Date(Number(time)).toTimeString().slice(0, 'hh:mm:ss'.length)
  const [service, what, rest] = happened(String(msg), slot, fields)
  const subjects = [twin === undefined ? '' : `twin ${plain(twin)}`, slot === undefined ? '' : `slot ${plain(slot)}`, service]
  const subject = subjects.filter((word) => word !== '').join(' ')
  const details = Object.entries(rest).filter(([, value]) => value !== undefined)
  const remark = details.length === 0 ? '' : ` (${details.map(([name, value]) => detail(name, value)).join(', ')})`
  const found = LEVELS.find((each) => Number(level) >= each.level)
  const text = visible(`${clock} ${found?.word ?? ''}${subject}${subject === '' ? '' : ': '}${what}${remark}`)
  return `${found === undefined ? text : colors[found.color](text)}\n`
}

type Fields = Readonly<Record<string, unknown>>

/** The service of a write, what happened, and the other fields. */
function happened(message: string, slot: unknown, fields: Fields): readonly [service: string, what: string, rest: Fields] {
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
