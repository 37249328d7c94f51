import { fromIsoTime, isoTime } from '@slotwire/core'
import { InvalidArgumentError } from 'commander'

const HOUR_MS = 3_600_000
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS }
const DURATION = /^(\d{1,6})([hdw])$/
/** With a date alone the day begins in UTC; a time without a zone is the device's own. */
const DATE = /^\d{4}-\d{2}-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/
const EXPECTED = 'for how long (12h, 90d, 2w) or until when (2027-01-31, 2027-01-31T18:00:00Z).'

/** What `--expires` says, as a date in ISO 8601. Throws `InvalidArgumentError` for what is neither duration nor date, or not in the future. */
export function parseExpiry(text: string, nowMs: number): string {
  const end = endOf(text.trim(), nowMs)
  if (Number.isNaN(end)) throw new InvalidArgumentError(EXPECTED)
  if (end <= nowMs) throw new InvalidArgumentError(`it must be in the future: ${EXPECTED}`)
  return isoTime(end)
}

function endOf(text: string, nowMs: number): number {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  if (count !== undefined) return nowMs + Number(count) * (UNITS_MS[unit] ?? Number.NaN)
  const day = DATE.exec(text)?.[1]
  return day === undefined || !isDayOfMonth(text.slice(0, 10), day) ? Number.NaN : fromIsoTime(text)
}

/** The 30th of February would be taken for the 2nd of March. */
function isDayOfMonth(date: string, day: string): boolean {
  const at = fromIsoTime(date)
  return !Number.isNaN(at) && isoTime(at).slice(8, 10) === day
}
