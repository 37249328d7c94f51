import { JsonReporter } from 'vitest/node'

/** Vitest's JSON report, in which a file whose hook failed also has the error. */
export default class Report extends JsonReporter {
  /** @param {import('vitest/node').TestSuite} suite */
  onTestSuiteResult(suite) {
    const { result } = /** @type {{ task: import('vitest').RunnerTestFile }} */ (/** @type {unknown} */ (suite.module)).task
    const errors = [...suite.errors()]
    if (result !== undefined && errors.length > 0) result.errors ??= errors
  }
}
