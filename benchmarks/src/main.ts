// `node benchmarks/dist/main.js [--only <row>] [--quick]`: measures, prints the table, and after a whole run writes docs/performance.md.
import { writeFile } from 'node:fs/promises'
import { cpus, release, type } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isoTime, SystemClock, systemWallTime } from '@slotwire/core'
import { fullEffort, quickEffort } from './effort.ts'
import { findLoadTool } from './load.ts'
import { formatReport } from './report.ts'
import type { Row } from './row.ts'
import { rows } from './rows.ts'
import { formatTable, type MeasuredRow } from './table.ts'

const REPORT = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
const USAGE_EXIT_CODE = 2

const chosen = choose(process.argv.slice(2))
if (chosen === undefined) process.exitCode = USAGE_EXIT_CODE
else await measure(chosen.rows, chosen.quick)

function choose(args: string[]): { rows: readonly Row[]; quick: boolean } | undefined {
  try {
    const { values } = parseArgs({ args, options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } } })
    const found = values.only === undefined ? rows : rows.filter(({ name }) => name === values.only)
    if (found.length > 0) return { rows: found, quick: values.quick }
    process.stderr.write(`no row ${values.only}: one of ${rows.map(({ name }) => name).join(', ')}\n`)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    process.stderr.write(`${error.message}\n`)
  }
  return undefined
}

async function measure(wanted: readonly Row[], quick: boolean): Promise<void> {
  const effort = quick ? quickEffort : fullEffort
  const load = await findLoadTool()
  const clock = new SystemClock()
  const measured: MeasuredRow[] = []
  for (const row of wanted) {
    process.stderr.write(`Measuring ${row.name}…\n`)
    measured.push({ row, readings: await row.measure({ effort, load, clock }) })
  }
  process.stdout.write(`${formatTable(measured)}\n`)
  if (quick || wanted.length < rows.length) return
  const [processor] = cpus()
  const machine = {
    node: process.versions.node,
    processor: processor?.model ?? 'unknown processor',
    cores: cpus().length,
    system: `${type()} ${release()}`,
  }
  await writeFile(
    REPORT,
    formatReport(measured, { machine, load: load.name, effort, day: isoTime(systemWallTime()).slice(0, 10) }),
  )
}
