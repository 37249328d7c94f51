import type { Row } from './fault.testkit.ts'
import { answerFaults } from './faults-answers.testkit.ts'
import { bodyFaults } from './faults-bodies.testkit.ts'
import { pinFaults } from './faults-io.testkit.ts'

/** Broken devices: each has one fault, and the checks that may fail for it. */
export const faults: readonly Row[] = [...bodyFaults, ...pinFaults, ...answerFaults]
