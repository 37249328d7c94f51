import { existsSync, readFileSync } from 'node:fs'
import { inRoot } from './root.mjs'

/** Where `npm test` leaves vitest's own JSON report. */
export const reportFile = inRoot('node_modules', '.slotwire-test-report.json')

/**
 * @typedef {{ fullName: string, status: string }} Assertion
 * @typedef {{ name: string, status: string, assertionResults: Assertion[] }} TestFile
 */

/** @returns {{ passed: number, failed: number, notRun: string[] } | undefined} undefined: vitest did not get as far as a report */
export function readReport() {
  if (!existsSync(reportFile)) return undefined
  const { testResults } = /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(reportFile, 'utf8')))
  const tests = testResults.flatMap((file) => file.assertionResults)
  const count = (/** @type {string} */ status) => tests.filter((test) => test.status === status).length
  // A file that cannot even be loaded has no test that fails: it counts as one.
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  )
  return {
    passed: count('passed'),
    failed: count('failed') + broken.length,
    notRun: tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
  }
}
