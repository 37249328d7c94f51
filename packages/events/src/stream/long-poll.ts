import type { Journal, JournalPage } from '../journal.ts'
import { formatPosition, type Position, parsePosition } from '../position.ts'
import { gapOf, helloOf } from './messages.ts'
import type { Filter } from './stream-query.ts'

/** Most bytes of messages in one answer, roughly; the rest comes with the next request. */
const ANSWER_BYTES = 262_144

/** The answer to a long poll, as JSON text without line breaks. */
export interface PollAnswer {
  readonly body: string
  /** Whether everything was read, and has no message: worth waiting. */
  readonly isEmpty: boolean
  readonly hasGap: boolean
}

/** The messages after a position: what a stream would send first. `after` as in `StreamReaderOptions`. */
export function pollAnswer(
  after: Position | string | undefined,
  filter: Filter,
  journal: Pick<Journal, 'read' | 'last'>,
  state: () => object,
): PollAnswer {
  const { last } = journal
  const to = formatPosition(last)
  const page: JournalPage =
    typeof after === 'object' ? journal.read(after, filter.wants, filter.kinds) : { records: [], next: last }
  const lost = typeof after === 'string' ? { from: null, to, missing: null } : page.gap
  const messages = lost === undefined ? [] : [JSON.stringify(gapOf(lost))]
  let bytes = 0
  let { next } = page
  for (const [index, record] of page.records.entries()) {
    const text = JSON.stringify(filter.seen(record))
    messages.push(text)
    bytes += text.length
    if (bytes < ANSWER_BYTES || index + 1 === page.records.length) continue
    next = parsePosition(record.id) ?? last
    break
  }
  if (lost !== undefined || after === undefined) messages.push(JSON.stringify(helloOf(last, state())))
  const body = `{"messages":[${messages.join(',')}],"next":"${formatPosition(next)}"}\n`
  return { body, isEmpty: messages.length === 0 && formatPosition(next) === to, hasGap: lost !== undefined }
}
