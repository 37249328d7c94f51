// `node benchmarks/dist/main.js [--only <row>] [--quick]`: measures, prints the table, and after a whole run writes docs/performance.md.
import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isoTime, SystemClock, systemWallTime } from '@slotwire/core'
import { findLoadTool } from './load.ts'
import { cleanUp, stopPrograms } from './program.ts'
import { formatReport, formatTable, type MeasuredRow } from './report.ts'
import { FULL, QUICK } from './row.ts'
import { rows } from './rows.ts'
import { ROOT } from './server.ts'

process.once('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
process.once('uncaughtException', ({ stack }) => {
  process.stderr.write(`${stack}\n`)
  process.exit(1)
})
const { only, quick } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } } }).values
const wanted = only === undefined ? rows : rows.filter(({ name }) => name === only)
if (wanted.length === 0) throw new RangeError(`no row ${only}: one of ${rows.map(({ name }) => name).join(', ')}`)
const busy = (loadavg()[0] ?? 0).toFixed(2)
// Other programs use half a core.
if (Number(busy) > 0.5) process.stderr.write(`The load average is ${busy}: measure again while nothing else runs.\n`)
const load = await findLoadTool()
const clock = new SystemClock()
const measured: MeasuredRow[] = []
for (const row of wanted) {
  process.stderr.write(`Measuring ${row.name}…\n`)
  measured.push({ row, readings: await row.measure({ effort: quick ? QUICK : FULL, load, clock }) })
  await stopPrograms()
}
process.stdout.write(`${formatTable(measured)}\n`)
if (!quick && only === undefined) {
  const machine = `Node.js ${process.versions.node}, ${cpus()[0]?.model}, ${cpus().length} cores, ${type()} ${release()}`
  const day = isoTime(systemWallTime()).slice(0, 10)
  writeFileSync(join(ROOT, 'docs/performance.md'), formatReport(measured, { machine, tool: load.name, busy, day }))
}
