import { expect, it } from 'vitest'
import { testPastedExamplesOf } from './page-examples.testkit.ts'

const PAGE = 'docs/guide/first-steps.md'
const answers = testPastedExamplesOf(PAGE)

it(`shows new sessions after the restart in ${PAGE}`, () => {
  const sessions = answers.flatMap((text) => [...text.matchAll(/_session":"(\w+)"/g)].map(([, session]) => session))
  expect(sessions).toHaveLength(6)
  expect(new Set(sessions).size).toBe(6)
})
