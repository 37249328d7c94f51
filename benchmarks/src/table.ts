import { type Goal, isReached, type Reading, type Row, type Unit } from './row.ts'

/** A row with its readings. */
export interface MeasuredRow {
  readonly row: Row
  readonly readings: readonly Reading[]
}

const DIGITS: Readonly<Record<Unit, number>> = { '×': 2, '%': 1, ms: 1, KB: 0, MB: 1, exchanges: 2 }
const HEAD = ['what', 'measured', 'against', 'result', 'target', ''] as const

/** A value with its unit. */
export function formatFigure(figure: number, unit: Unit): string {
  return `${figure.toFixed(DIGITS[unit])} ${unit}`
}

/** A goal in words: `at least 0.80 ×`. */
export function formatGoal(goal: Goal): string {
  return `at ${goal.at} ${formatFigure(goal.bound, goal.unit)}`
}

/** The table in Markdown, one line per goal, aligned for reading as plain text. */
export function formatTable(rows: readonly MeasuredRow[]): string {
  const lines = rows.flatMap(linesOf)
  const widths = HEAD.map((title, column) => Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)))
  const format = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [format(HEAD), rule, ...lines.map(format)].join('\n')
}

function linesOf({ row, readings }: MeasuredRow): string[][] {
  return row.goals.map((goal, index) => {
    const reading = readings[index]
    if (reading === undefined) throw new Error(`${row.name} has no reading of ${goal.of}`)
    return [
      `${row.what}: ${goal.of}`,
      reading.measured,
      `${row.against}: ${reading.comparison}`,
      formatFigure(reading.figure, goal.unit),
      formatGoal(goal),
      isReached(goal, reading) ? 'reached' : '**missed**',
    ]
  })
}
