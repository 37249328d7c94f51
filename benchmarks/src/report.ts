import { FULL, type Measurement, type Row, type Target, type Unit } from './row.ts'
import { median } from './statistics.ts'

/** A row with its readings. */
export interface MeasuredRow {
  readonly row: Row
  readonly readings: readonly Measurement[]
}

const DIGITS: Readonly<Record<Unit, number>> = { '×': 2, '%': 1, ms: 1, KB: 0, MB: 1, exchanges: 2 }
const HEAD = ['what', 'measured', 'against', 'result', 'target', ''] as const

/** The table in Markdown, one line for each target, aligned for reading as plain text. */
export function formatTable(rows: readonly MeasuredRow[]): string {
  const lines = rows.flatMap(({ row, readings }) => row.targets.map((target, index) => lineOf(row, target, readings[index])))
  const widths = HEAD.map((title, column) => Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)))
  const format = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [format(HEAD), rule, ...lines.map(format)].join('\n')
}

function lineOf(row: Row, target: Target, reading: Measurement | undefined): readonly string[] {
  const { of, at, gate, goal, unit, against = row.against } = target
  if (reading === undefined) throw new Error(`${row.name} has no reading of ${of}`)
  const { measured, comparison, figures } = reading
  const [least, middle, most] = [Math.min(...figures), median(figures), Math.max(...figures)]
  const text = (figure: number): string => figure.toFixed(DIGITS[unit])
  const reaches = (bound: number): boolean => (at === 'least' ? middle >= bound : middle <= bound)
  const range = figures.length > 1 ? ` (${text(least)}…${text(most)})` : ''
  return [
    `${row.what}: ${of}`,
    measured,
    `${against}: ${comparison}`,
    `${text(middle)} ${unit}${range}`,
    `at ${at} ${text(gate)} ${unit}${goal === undefined ? '' : `, goal ${text(goal)}`}`,
    reaches(goal ?? gate) ? 'reached' : reaches(gate) ? 'gate holds' : '**missed**',
  ]
}

/** `docs/performance.md`: the last measured table, when and how it was made. `day` as in 2026-11-22; `busy`: load average before. */
export function formatReport(
  rows: readonly MeasuredRow[],
  of: Readonly<Record<'machine' | 'tool' | 'busy' | 'day', string>>,
): string {
  return `# Performance

After this page you know how fast Slotwire is, how that was measured, and how to measure it yourself. \`npm run benchmark\` writes this page; do not edit it.
All figures were measured on ${of.day}. Absolute figures depend on the machine: compare ratios and differences to the programs under *against*. Both
are measured in turn (A B A B …) in one run. The result is the median of the rounds, with the smallest and the largest of them.

${formatTable(rows)}

- Machine: ${of.machine}; default flags everywhere.
- Quiet machine: measure while nothing else runs. The load average before this run was ${of.busy}. Processor time of a request is the server's own, user and
  kernel together: if it is steady while the rate is not, the machine had other work.
- Load: ${of.tool}, in its own process, ${FULL.loads} rounds of ${FULL.loadSeconds} s for each side. Install wrk for this (Debian: \`apt-get install wrk\`); without it autocannon, which
  comes with the repository, is used. autocannon is slower than a bare server and so improves the ratios. \`memory\` always uses autocannon, which counts
  its requests. [Decision 0218](decisions/0218-memory-under-load.md) says what holds the memory.
- The bare server is \`benchmarks/src/programs/bare-server.ts\`. The benchmark first checks that it sends the same status, headers and body.
- \`busy-bus\`, \`idle-write\` and \`alert\` run the device in the measuring process, to watch its bus and change its pins. The others run other programs: the built
  command, the installed npm package (\`start-up\`), or those in \`benchmarks/src/programs/\`.
- \`fresh-read\` and \`device-at-rest\` run \`slotwire serve\` on a simulated kernel, with new processes in each round. Private memory is what no other process shares. The
  simulated kernel is another Node.js program, so the pages of Node.js itself are shared. The original's programs were measured once, side by side with ours: PSS.
- What rests is measured for ${FULL.restMs / 1000} s, after as long without requests; a device for six times as long.

## Rows

Measure one row with \`npm run benchmark -- --only <row>\`. \`--quick\` measures briefly, to check that everything runs. Neither option writes this page.

| row | what |
|---|---|
${rows.map(({ row }) => `| \`${row.name}\` | ${row.what} |`).join('\n')}
`
}
