import { describe } from 'vitest'
import { findProgram } from './system-programs.mjs'

/**
 * Tests that need a system program: run with its path where the machine has it. Where it is missing they are not run, and `npm test`
 * says so at its end; with CI=true that is a failure.
 * @param {import('./system-programs.mjs').ProgramName} program
 * @param {string} name
 * @param {(path: string) => void} tests
 */
export function describeWith(program, name, tests) {
  const path = findProgram(program)
  describe.runIf(path !== undefined)(`${name} (needs ${program})`, () => {
    tests(path ?? '')
  })
}
