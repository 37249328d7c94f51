// `npm run http-suite -- <vitest options>`: installs, builds, runs the HTTP suite over the twin and over the kernel driver's files
// (pseudo-terminals, FIFOs; decision 0212), and tells how many tests passed over each.
import './setup/require-node.mjs'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { run } = await import('./setup/run.mjs')
const { inRoot } = await import('./setup/root.mjs')
const { findProgram, systemPrograms } = await import('./setup/system-programs.mjs')
const { everyWorld, outcomeOf, suiteFiles } = await import('./setup/http-suite.mjs')

/** Programs without which the suite is not whole. */
const NEEDED = /** @type {const} */ (['socat', 'promtool'])
/** Of one test or hook, in milliseconds: some let minutes go by, in thousands of exchanges with other processes. What hangs ends sooner by itself. */
const LONGEST_TEST_MS = 600_000
const REPORT = inRoot('node_modules', '.slotwire-http-suite.json')

process.exitCode = needed() || (await install('all')) || (await build()) || (await suite())

function needed() {
  const missing = NEEDED.filter((name) => findProgram(name) === undefined)
  for (const name of missing) {
    process.stderr.write(`Not found: ${name}. On Debian: apt-get install ${systemPrograms[name].debian}\n`)
  }
  return missing.length === 0 ? 0 : 1
}

async function suite() {
  rmSync(REPORT, { force: true })
  const options = [
    `--testTimeout=${LONGEST_TEST_MS}`,
    `--hookTimeout=${LONGEST_TEST_MS}`,
    // Much of the time a test waits for the processes that it speaks with.
    `--maxWorkers=${availableParallelism() + 1}`,
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${REPORT}`,
  ]
  const env = { ...process.env, SLOTWIRE_WORLDS: everyWorld }
  const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs')
  const code = await run(process.execPath, [vitest, 'run', ...options, ...process.argv.slice(2), ...suiteFiles()], { env })
  return tell() || code
}

/** @returns {number} the exit code that the report is worth */
function tell() {
  if (!existsSync(REPORT)) {
    process.stderr.write('HTTP suite: vitest has left no report\n')
    return 1
  }
  const { testResults } = JSON.parse(readFileSync(REPORT, 'utf8'))
  const { line, faults } = outcomeOf(testResults)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.stdout.write(`${line}\n`)
  return faults.length > 0 ? 1 : 0
}
