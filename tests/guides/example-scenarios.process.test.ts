import { expect, it } from 'vitest'
import { FOLDER, files, runScenarios } from './example-scenarios.testkit.ts'

it(`all scenarios in ${FOLDER} pass`, { timeout: 120_000 }, () =>
  expect(runScenarios(`${FOLDER}/*.yaml`).trimEnd().split('\n')).toEqual([
    ...files.map((file) => expect.stringMatching(new RegExp(`^passed .*\\(${file}\\)`)) as unknown),
    `${files.length} scenarios: ${files.length} passed, 0 failed`,
  ]),
)
