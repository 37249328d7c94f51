import type { Past } from '@slotwire/client'
import { isoTime } from '@slotwire/core'
import { type PinType, UNITS } from './pin-state.ts'

/** Values that the device kept until `nowMs`, from a date to another, as CSV: a column for each pin and unit. A gap is a row without values. */
export function pastCsv(
  { ago_milliseconds: ages, series }: Past,
  nowMs: number,
  [fromMs, toMs]: readonly [number, number],
  nameOf: (pin: number) => string,
): string {
  const names = series.map(({ pin, pin_type: type }) => {
    const unit = UNITS[type as PinType]
    return `"${nameOf(Number(pin)).replaceAll('"', '""')}${unit === '' ? '' : ` (${unit})`}"`
  })
  const rows = ages.flatMap((ago, row) => {
    const atMs = nowMs - ago
    return atMs < fromMs || atMs > toMs ? [] : [[isoTime(atMs), ...series.map(({ values }) => values[row] ?? '')]]
  })
  return [['time', ...names], ...rows].map((cells) => `${cells.join()}\n`).join('')
}
