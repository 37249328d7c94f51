import { historyEndpoints } from '@slotwire/contract'
import { enumeration, fromIsoTime, isoTime, shown } from '@slotwire/core'
import { filterBy, invalid, type Position, parsePosition, Query, wholeNumberOf } from '../query.ts'
import { isRecordKind, type RecordFilter, type RecordKind, recordKinds } from '../record.ts'
import { storedKinds } from './stored-line.ts'

const DATE_LENGTH = 10
const DEFAULT_COUNT = 100
const MAX_RECORDS = 1000
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Which page of the history a client asks for. */
export interface HistoryQuery {
  /** Records after this position. */
  readonly after?: Position
  /** Records since this time, as records have it. */
  readonly since?: string
  readonly wants: RecordFilter
  /** Kinds that `wants` accepts, as lines have them; undefined: all. */
  readonly marks: readonly string[] | undefined
  readonly count: number
}

/** Reads the query of a request. Throws `invalidField` with the bounds. */
export function parseHistoryQuery(url: string): HistoryQuery {
  const query = new Query(url, historyEndpoints.history)
  const kinds = kindsOf(query)
  const count = query.one('count')
  return {
    ...sinceOf(query.one('since')),
    wants: filterBy(kinds, query.slots()),
    marks: kinds.length === 0 ? undefined : kinds.map((kind) => `"kind":"${kind}"`),
    count: count === undefined ? DEFAULT_COUNT : wholeNumberOf('count', count, 1, MAX_RECORDS),
  }
}

function sinceOf(text: string | undefined): Pick<HistoryQuery, 'after' | 'since'> {
  if (text === undefined) return {}
  const after = parsePosition(text)
  if (after !== undefined) return { after }
  // A plus sign that is not encoded arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const ms = TIME.test(time) && isDate(time.slice(0, DATE_LENGTH)) ? fromIsoTime(time) : Number.NaN
  if (!Number.isNaN(ms)) return { since: isoTime(ms) }
  throw invalid(`since is ${shown(text)}: write the id of a record, as 7-1234, or a time, as 2026-11-23T19:00:00Z`)
}

/** Not February 30, which `Date` takes as March 2. */
function isDate(text: string): boolean {
  const ms = fromIsoTime(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && isoTime(ms).startsWith(text)
}

function kindsOf(query: Query): readonly RecordKind[] {
  const stored = recordKinds.filter((known) => storedKinds.has(known))
  const other = query.list('kinds').find((text) => isRecordKind(text) && !storedKinds.has(text))
  if (other !== undefined)
    throw invalid(`kinds has ${other}, which is not in the history: use ${enumeration(stored)}, or the stream`)
  return query.kinds(stored)
}
