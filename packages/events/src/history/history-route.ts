import { comparePositions, formatPosition, type Position, parsePosition, processEndpoints } from '@slotwire/contract'
import { enumeration, fromIsoTime, isoTime, Mutex, nextTurn, shown } from '@slotwire/core'
import { type Caller, JSON_TYPE, jsonText, type Service, sendAnswer, sendJson, watchableAt } from '@slotwire/service'
import type { Journal } from '../journal.ts'
import { durationOf, filterBy, invalid, Query, seesService, serviceNotGranted, slotOf, wholeNumberOf } from '../query.ts'
import { isRecordKind, type RecordKind, recordKinds } from '../record.ts'
import { parseLine, storedKinds } from './stored-line.ts'

/** Most characters of a page; a page has at least one record. */
const MAX_PAGE_CHARACTERS = 524_288
const HEADERS = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' }
/** Where a line has the time of its record. */
const AT = /^\{"id":"[^"]*","at":"([^"]*)"/

/** `GET /slotwire/history`: pages of the history, oldest first. */
export function addHistoryRoute({ routes, context }: Service, journal: Journal): void {
  // One page at a time: many would hold up other requests.
  const pages = new Mutex()
  routes.addOwn('history', (request, response, { caller }) => {
    const query = parseHistoryQuery(request.url ?? '')
    return context.running.run(request, response, { log: context.log }, async () => {
      const body = await pages.run(() => historyPage(journal, query, caller, () => response.destroyed))
      if (!response.headersSent && !response.destroyed) sendAnswer(response, { status: 200, headers: HEADERS, body })
    })
  })
}

/** The JSON of a page. Reads block by block, and lets other work run between them. Ends early when the client has left. */
async function historyPage(
  journal: Journal,
  query: HistoryQuery,
  caller: Caller | undefined,
  hasLeft: () => boolean,
): Promise<string> {
  const page: string[] = []
  let characters = 0
  const { since, wants, marks, count } = query
  // A position that this journal never gave: all that it has, rather than nothing.
  const after = query.after !== undefined && comparePositions(query.after, journal.last) > 0 ? undefined : query.after
  let next = after ?? { boot: journal.last.boot, sequence: 0 }
  let last = ''
  let isFirst = true
  for (const lines of journal.storedLines(after)) {
    if (!isFirst) await nextTurn()
    isFirst = false
    if (hasLeft()) return ''
    last = lines.at(-1) ?? last
    for (const text of lines) {
      // Parsing a line takes longer than all that is needed of most.
      if (since !== undefined && (AT.exec(text)?.[1] ?? since) < since) continue
      if (marks?.every((mark) => !text.includes(mark))) continue
      const line = parseLine(text)
      // A boot that was never: the line is damaged.
      if (line === undefined || line.position.boot > journal.last.boot) continue
      if (after !== undefined && comparePositions(line.position, after) <= 0) continue
      const { record, position } = line
      if (record !== undefined && wants(record) && seesService(caller, record.service)) {
        const isFull = page.length >= count || characters + text.length > MAX_PAGE_CHARACTERS
        if (page.length > 0 && isFull) return pageText(page, formatPosition(next))
        page.push(text)
        characters += text.length
      }
      next = position
    }
  }
  const end = parseLine(last)?.position
  return pageText(page, formatPosition(end === undefined || end.boot > journal.last.boot ? next : end))
}

function pageText(records: readonly string[], next: string): string {
  return `{"records":[${records.join(',')}],"next":"${next}"}\n`
}

const DATE_LENGTH = 10
const DEFAULT_COUNT = 100
const MAX_RECORDS = 1000
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Which page of the history a client asks for. */
type HistoryQuery = ReturnType<typeof parseHistoryQuery>

/** Reads the query of a request. Throws `invalidField` with the bounds. */
function parseHistoryQuery(url: string) {
  const query = new Query(url, processEndpoints.history)
  const kinds = kindsOf(query)
  const count = query.one('count')
  return {
    ...sinceOf(query.one('since')),
    wants: filterBy(kinds, query.slots()),
    /** Kinds that `wants` accepts, as lines have them; undefined: all. */
    marks: kinds.length === 0 ? undefined : kinds.map((kind) => `"kind":"${kind}"`),
    count: count === undefined ? DEFAULT_COUNT : wholeNumberOf('count', count, 1, MAX_RECORDS),
  }
}

/** Records after a position, or since a time as records have it. */
function sinceOf(text: string | undefined): { readonly after?: Position; readonly since?: string } {
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

/** Bounds of `since`, in milliseconds. */
const MIN_SINCE_MS = 1000
const MAX_SINCE_MS = 3_600_000

/** `GET /slotwire/past`: answered from memory. */
export function addPastRoute({ routes, context }: Service): void {
  const { contracts, services, readings } = context
  routes.addOwn('past', (request, response, { caller }) => {
    const query = new Query(request.url ?? '', processEndpoints.past)
    const sinceMs = durationOf('since', query.one('since') ?? '1h', MIN_SINCE_MS, MAX_SINCE_MS)
    const watch = query.one('watch') ?? ''
    const { service, slot, endpoint } = watchableAt(contracts, watch)
    slotOf(`the slot of watch ${shown(watch)}`, String(slot))
    if (!seesService(caller, service)) throw serviceNotGranted(caller, contracts)
    const type = services.find(({ contract }) => contract.service === service)
    if (type?.readings?.[endpoint] === undefined)
      throw invalid(`watch ${shown(watch)} has no past: use a read that has metrics, as io/3/input/values`)
    const course = readings.past.of({ slot, vendorProductId: type.vendorProductId }, endpoint, sinceMs)
    sendJson(response, jsonText(course))
  })
}
