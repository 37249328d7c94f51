import { expect, it } from 'vitest'
import { FOLDER, files, runScenarios } from './example-scenarios.testkit.ts'

/** The promise. */
const MAX_MS = 1000
/** A machine that has other work gets so many tries. */
const TRIES = 4

interface Run {
  readonly scenarios: readonly { readonly scenario: { readonly file: string }; readonly realMs: number }[]
}

it(`each scenario in ${FOLDER} takes less than a second`, { timeout: 120_000 }, () => {
  let slow: readonly string[] = files
  for (let attempt = 0; attempt < TRIES && slow.length > 0; attempt++) {
    const { scenarios } = JSON.parse(runScenarios(`--json ${slow.join(' ')}`)) as Run
    slow = scenarios.filter(({ realMs }) => realMs >= MAX_MS).map(({ scenario }) => scenario.file)
  }
  expect(slow).toEqual([])
})
