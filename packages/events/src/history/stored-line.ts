import { formatPosition, type Position, parsePosition } from '@slotwire/contract'
import { isRecord, orElse } from '@slotwire/core'
import { isRecordKind, type JournalRecord, type RecordKind } from '../record.ts'

/** Kinds of the records that are kept on the disk. */
export const storedKinds: ReadonlySet<RecordKind> = new Set<RecordKind>([
  'alert',
  'device',
  'module',
  'power',
  'protection',
  'watchdog',
])

/**
 * A line between records. `begin`: every stored record after this position follows. `end`: the process ended in order, and this was its last
 * record of any kind. `lost`: so many stored records before this position could not be written.
 */
export type Mark = 'begin' | 'end' | 'lost'

export interface StoredLine {
  /** That of the record; of several alerts in one line, that of the last. */
  readonly position: Position
  readonly record?: JournalRecord
  readonly mark?: Mark
  /** With `lost`: how many. */
  readonly records?: number
}

const isMark = (value: unknown): value is Mark => value === 'begin' || value === 'end' || value === 'lost'

/** How each line begins; no device has a billion starts. A parser that throws for each of a million damaged lines takes seconds. */
const HEAD = /^\{"id":"\d{1,12}-\d+","(at|mark)":/

/** Whether a text is not the beginning of a line: a damaged file has such lines. */
export function isDamaged(text: string): boolean {
  return !HEAD.test(text)
}

/** Undefined for half a line and other text: no beginning of a line is JSON. */
export function parseLine(text: string): StoredLine | undefined {
  if (isDamaged(text)) return undefined
  const value = orElse<unknown>(undefined, () => JSON.parse(text))
  const position = isRecord(value) && typeof value['id'] === 'string' ? parsePosition(value['id']) : undefined
  if (position === undefined || !isRecord(value)) return undefined
  if (isStored(value)) return { position, record: value }
  const { mark, records } = value
  return isMark(mark) ? { position, mark, records: Number(records ?? 0) } : undefined
}

function isStored(value: Readonly<Record<string, unknown>>): value is JournalRecord {
  const { at, up_ms: up, kind } = value
  return typeof at === 'string' && typeof up === 'number' && isRecordKind(kind)
}

/** The line of a mark, without the newline. */
export function markLine(mark: Mark, position: Position, records?: number): string {
  return JSON.stringify({ id: formatPosition(position), mark, records })
}
