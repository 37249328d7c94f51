import { extensionPaths, isBefore, type StateDocument } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import type { Call, CallOptions, HttpClient } from '../http-client.ts'
import type { JournalRecord } from './live.ts'

export interface HistoryOptions {
  /** Only records after this id, or since this time (RFC 3339). */
  readonly since?: string | undefined
  readonly kinds?: readonly string[] | undefined
  readonly slots?: readonly number[] | undefined
  /** Records for each request, 1…1000; 100 by default. */
  readonly count?: number | undefined
  readonly signal?: AbortSignal | undefined
}

interface Page {
  readonly records: readonly JournalRecord[]
  readonly next: string
}

/** Reads the history page by page, oldest first. `read` sends one request. */
export async function* history(
  read: (path: string, options: CallOptions & Pick<Call, 'accepts'>) => Promise<unknown>,
  { since, kinds, slots, count, signal }: HistoryOptions,
): AsyncGenerator<JournalRecord, void, undefined> {
  let last = ''
  // A page whose `next` is not after the last one would be read again and again.
  const accepts = (page: unknown): boolean => isPage(page) && (page.records.length === 0 || isBefore(last, page.next))
  for (let from = since; ; from = last) {
    const query = new URLSearchParams()
    if (from !== undefined) query.set('since', from)
    if (kinds !== undefined) query.set('kinds', kinds.join(','))
    if (slots !== undefined) query.set('slots', slots.join(','))
    if (count !== undefined) query.set('count', String(count))
    const page = (await read(`${extensionPaths.history}?${query.toString()}`, { signal, accepts })) as Page
    if (page.records.length === 0) return
    yield* page.records
    last = page.next
  }
}

function isPage(page: unknown): page is Page {
  return isRecord(page) && isRecords(page['records']) && typeof page['next'] === 'string'
}

/** Whether a value is a list of objects. */
export function isRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord)
}

/** The state that the modules acknowledged last, and the leases. */
export async function readState(http: HttpClient, options: CallOptions): Promise<StateDocument> {
  const accepts = (answer: unknown): boolean => isRecord(answer) && isRecords(answer['modules']) && isRecords(answer['leases'])
  return (await http.extension(extensionPaths.state, { ...options, accepts })) as StateDocument
}

/** What a read gave before, as numbers over time; docs/guide/events.md "The past". */
export interface Past {
  /** Age of each row in milliseconds when the server answered, the oldest first. */
  readonly ago_milliseconds: readonly number[]
  /** A value for each row, null where it is not known. The other fields say which number it is: `pin` and `pin_type`, or `field`. */
  readonly series: readonly { readonly values: readonly (number | null)[]; readonly [name: string]: unknown }[]
}

/** Whether an answer has the form of `Past`. */
export function isPast(answer: unknown): answer is Past {
  const { ago_milliseconds: ages, series } = isRecord(answer) ? answer : {}
  if (!Array.isArray(ages) || !ages.every(Number.isFinite) || !Array.isArray(series)) return false
  const isColumn = (list: unknown): boolean =>
    Array.isArray(list) && list.length === ages.length && list.every((each) => each === null || Number.isFinite(each))
  return series.every((each) => isRecord(each) && isColumn(each['values']))
}
