import { JsonReporter } from 'vitest/node'

/** Vitest's JSON report, in which a file whose hook failed also has the error. */
export default class Report extends JsonReporter {
  /** @param {import('vitest/node').TestSuite} suite */
  onTestSuiteResult(suite) {
    const { result } = /** @type {{ task: import('vitest').RunnerTestFile }} */ (/** @type {unknown} */ (suite.module)).task
    if (result !== undefined && !result.errors?.length) result.errors = [...suite.errors()]
  }
}
