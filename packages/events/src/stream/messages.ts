import type { Gap } from '../gap.ts'
import { formatPosition, type Position } from '../position.ts'
import type { JournalRecord } from '../record.ts'

/** Why the server ends a stream, for its last message. */
export const ends = {
  replaced: 'this caller opened another stream, and this was its oldest: share streams, or use another token',
  revoked: 'the access token was revoked or changed, or has expired',
  stopping: 'the service is stopping',
} as const

export type EndReason = keyof typeof ends

/**
 * One message of the stream. Messages have no `event:` name, so that `onmessage` of a browser gets all of them: the JSON has a `kind`.
 * JSON text has no line breaks.
 */
export function eventText(id: string, json: string): string {
  return `id: ${id}\ndata: ${json}\n\n`
}

export function recordText(record: JournalRecord): string {
  return eventText(record.id, JSON.stringify(record))
}

export function helloOf(last: Position, state: object): object {
  return { kind: 'hello', boot: last.boot, last: formatPosition(last), state }
}

/** What a reader cannot get. `from` and `missing` are null for a text that is no position. */
export function gapOf({ from, to, missing }: Omit<Gap, 'from'> & { readonly from: string | null }): object {
  return { kind: 'gap', from, to, missing }
}

export function endOf(reason: EndReason): object {
  return { kind: 'end', reason, message: ends[reason] }
}
