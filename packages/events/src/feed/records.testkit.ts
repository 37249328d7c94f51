import type { Twin } from '@slotwire/device/twin'
import type { JournalRecord } from '../record.ts'

/** All records of a kind, or all. */
export function recordsOf(twin: Twin, kind?: string): readonly JournalRecord[] {
  const { boot } = twin.journal.last
  return twin.journal.read({ boot, sequence: 0 }, (record) => kind === undefined || record.kind === kind).records
}

/** The same without what differs in each run. */
export function comparable(records: readonly JournalRecord[]): readonly object[] {
  return records.map(({ id: _id, at: _at, up_ms: _up, twin_ms: _twin, session: _session, ...fields }) => fields)
}
