import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { inRoot, root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'

/**
 * A run of vitest. `name` is for the report; `project` is one of vitest.config.ts. `again`: run a few failed files once more, separately.
 * @typedef {{
 *   readonly name: string, readonly project: string, readonly options?: readonly string[], readonly again?: boolean,
 *   readonly node?: string, readonly env?: Readonly<Record<string, string>>,
 * }} TestRun
 */

/**
 * Result of a run. `failures` has a line for each failed test. `failedAtFirst` has a line for each that failed together with other tests,
 * before its file ran separately. `notRun` has titles of tests whose system program is missing.
 * @typedef {{
 *   readonly name: string, readonly code: number, readonly passed: number, readonly failed: number,
 *   readonly failures: readonly string[], readonly failedAtFirst?: readonly string[], readonly notRun: readonly string[],
 *   readonly files: readonly { readonly name: string, readonly seconds: number, readonly passed: number, readonly failed: boolean }[],
 * }} Outcome
 */

/**
 * @typedef {{ fullName: string, status: string, failureMessages?: string[] }} Assertion
 * @typedef {{
 *   name: string, status: string, message: string, startTime: number, endTime: number, assertionResults: Assertion[],
 * }} TestFile
 */

const MS_PER_SECOND = 1000
/** Folder of vitest's JSON reports, one for each run. */
export const REPORTS = inRoot('node_modules', '.slotwire-tests')
/** Larger young generation: fewer garbage collections save an eighth of the unit tier's time. */
const V8_OPTION = '--max-semi-space-size=64'

/** If more files fail, the cause is not a busy machine. */
const MAX_FILES_AGAIN = 5

/**
 * Runs tests and prints one line with the counts.
 * @param {TestRun} testRun
 * @param {readonly string[]} words filters and options for vitest
 * @returns {Promise<Outcome>}
 */
export async function runTests(testRun, words) {
  const { name, again = false } = testRun
  const first = await runVitest(testRun, words)
  const files = [...new Set(first.files.filter(({ failed }) => failed).map((file) => file.name))]
  const outcome =
    again && words.length === 0 && files.length > 0 && files.length <= MAX_FILES_AGAIN
      ? together(first, await runVitest({ ...testRun, name: `${name}, again`, options: ['--maxWorkers=1'] }, files))
      : first
  process.stdout.write(`${name}: ${formatCounts([outcome])}\n\n`)
  return outcome
}

/**
 * @param {TestRun} testRun
 * @param {readonly string[]} words
 * @returns {Promise<Outcome>}
 */
async function runVitest({ name, project, options = [], node = process.execPath, env = {} }, words) {
  mkdirSync(REPORTS, { recursive: true })
  const report = `${REPORTS}/${name.replaceAll(/\W+/g, '-')}.json`
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', `--reporter=${inRoot('tools', 'tests', 'report.mjs')}`, `--outputFile.json=${report}`]
  const vitest = [V8_OPTION, inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', project, '--passWithNoTests']
  const code = await run(node, [...vitest, ...reporters, ...options, ...words], { env: { ...process.env, ...env } })
  const result = counts(report)
  // An uncaught error fails vitest, but no test.
  return { name, code, ...result, failed: code === 0 ? result.failed : Math.max(1, result.failed) }
}

/**
 * The result of a run after its failed files ran again separately.
 * @param {Outcome} first
 * @param {Outcome} alone
 * @returns {Outcome}
 */
function together(first, alone) {
  const others = first.files.filter(({ name }) => !alone.files.some((file) => file.name === name))
  const passed = others.reduce((total, file) => total + file.passed, alone.passed)
  const { code, failed, failures } = alone
  return { ...first, code, passed, failed, failures, failedAtFirst: first.failures, files: [...others, ...alone.files] }
}

/** @param {readonly Outcome[]} outcomes */
export function formatCounts(outcomes) {
  const sum = (/** @type {(outcome: Outcome) => number} */ of) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  return `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed, ${sum(({ notRun }) => notRun.length)} skipped`
}

/** @param {string} report */
function counts(report) {
  // Without a report, vitest itself failed.
  if (!existsSync(report)) return { passed: 0, failed: 1, failures: ['no report'], notRun: [], files: [] }
  const { testResults } = /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(report, 'utf8')))
  const tests = testResults.flatMap((file) => file.assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed')
  // A file that cannot be loaded has no failed test.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => failed.includes(test)),
  )
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: failed.length + broken.length,
    failures: testResults.flatMap(({ name, message, assertionResults }) => {
      const lines = assertionResults
        .filter((test) => failed.includes(test))
        .map(({ fullName, failureMessages = [] }) => `${fullName}: ${firstLine(failureMessages.join('\n'))}`)
      const own = broken.some((file) => file.name === name) ? [firstLine(message)] : []
      return [...lines, ...own].map((line) => `${relative(root, name)}: ${line}`)
    }),
    notRun: tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
    files: testResults.map(({ name, status, startTime, endTime, assertionResults }) => ({
      name: relative(root, name),
      seconds: (endTime - startTime) / MS_PER_SECOND,
      passed: assertionResults.filter((test) => test.status === 'passed').length,
      failed: status === 'failed',
    })),
  }
}

/** @param {string} text */
function firstLine(text) {
  const line = text.slice(0, text.search(/\n|$/))
  // Vitest's placeholder for the stack of a time limit.
  return line.endsWith('STACK_TRACE_ERROR') ? 'did not end within its time limit' : line
}
