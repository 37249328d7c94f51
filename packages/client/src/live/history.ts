import { extensionPaths } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
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

/** Reads the history page by page, oldest first. `read` sends one request. */
export async function* history(
  read: (path: string, signal: AbortSignal | undefined) => Promise<unknown>,
  { since, kinds, slots, count, signal }: HistoryOptions,
): AsyncGenerator<JournalRecord, void, undefined> {
  for (let from = since; ; ) {
    const query = new URLSearchParams()
    if (from !== undefined) query.set('since', from)
    if (kinds !== undefined) query.set('kinds', kinds.join(','))
    if (slots !== undefined) query.set('slots', slots.join(','))
    if (count !== undefined) query.set('count', String(count))
    const page = await read(`${extensionPaths.history}?${query.toString()}`, signal)
    const records = isRecord(page) && Array.isArray(page['records']) ? (page['records'] as readonly JournalRecord[]) : []
    if (records.length === 0) return
    yield* records
    from = String((page as { readonly next?: unknown }).next)
  }
}
