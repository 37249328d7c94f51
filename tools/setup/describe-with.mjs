import { describe } from 'vitest'
import { findProgram } from './system-programs.mjs'

/**
 * Tests that need system programs. They get the paths, in the order of the names, and run only if the machine has all programs. `npm test`
 * lists tests that did not run; with CI=true they are a failure.
 * @param {import('./system-programs.mjs').ProgramName | readonly import('./system-programs.mjs').ProgramName[]} programs
 * @param {string} name
 * @param {(...paths: string[]) => void} tests
 */
export function describeWith(programs, name, tests) {
  const names = /** @type {readonly import('./system-programs.mjs').ProgramName[]} */ ([programs].flat())
  const paths = names.map((program) => findProgram(program))
  describe.runIf(!paths.includes(undefined))(`${name} (needs ${names.join(', ')})`, () => {
    tests(...paths.map((path) => path ?? ''))
  })
}
