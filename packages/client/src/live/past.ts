import { isRecord } from '@slotwire/core'

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
