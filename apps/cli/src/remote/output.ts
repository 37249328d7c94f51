import { isRecord, visible, visibleJson } from '@slotwire/core'
import { type Cell, formatTable, type Row } from '../terminal/text.ts'
import type { DeviceCommandOptions } from './with-device.ts'

type Format = DeviceCommandOptions['format']

/** Rows as a table for people, or for programs: JSON as `json` if it is given, CSV with a head. Every row has the same columns. */
export function formatRows(rows: readonly Row[], format: Format, json: unknown = rows): string {
  if (format === 'json') return `${visibleJson(json)}\n`
  if (rows.length === 0) return ''
  if (format === 'table') return formatTable(rows)
  const columns = Object.keys(rows[0] ?? {})
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map(csvLine).join('')
}

/** One event: a line of JSON, of CSV without a head, or of words. */
export function formatLine(row: Row, format: Format, json: unknown = row): string {
  if (format === 'json') return `${visibleJson(json)}\n`
  if (format === 'csv') return csvLine(Object.values(row))
  return `${Object.values(row).map(textOf).filter(Boolean).join('  ')}\n`
}

/** An answer of the device: a line for each field, with its unit. */
export function formatReply(
  reply: unknown,
  format: Format,
  units: ReadonlyMap<string, string> = new Map(),
  shown = reply,
): string {
  return formatRows(fieldRows(shown, units), format, reply)
}

function fieldRows(reply: unknown, units: ReadonlyMap<string, string>, prefix = ''): readonly Row[] {
  if (!isRecord(reply)) return []
  return Object.entries(reply).flatMap(([name, value]): readonly Row[] => {
    const path = prefix + name
    if (Array.isArray(value)) return value.flatMap((item, index) => fieldRows(item, units, `${path}.${index}.`))
    if (isRecord(value)) return fieldRows(value, units, `${path}.`)
    return [{ field: path, value: value as Cell, unit: units.get(name) ?? '' }]
  })
}

/** Text for people: control characters of a device stay text. */
function textOf(cell: Cell): string {
  return cell === undefined || cell === null ? '' : visible(String(cell))
}

/** RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe. */
function csvLine(cells: readonly Cell[]): string {
  const texts = cells.map(textOf).map((shown) => {
    const text = /^[=+@]/.test(shown) ? `'${shown}` : shown
    return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${texts.join(',')}\n`
}
