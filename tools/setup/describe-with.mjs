import { describe } from 'vitest'
import { findProgram } from './system-programs.mjs'

/**
 * Tests that need system programs: run with their paths, in the order of the names, where the machine has them all. Where one is missing
 * they are not run, and `npm test` says so at its end; with CI=true that is a failure.
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
