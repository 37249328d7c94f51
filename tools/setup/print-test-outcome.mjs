// The last line of .ci/run: what vitest counted.
import { readReport } from './test-report.mjs'

const { passed, failed } = readReport() ?? { passed: 0, failed: 0 }
process.stdout.write(`${passed} passed, ${failed} failed\n`)
