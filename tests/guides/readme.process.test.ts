import { describe, expect, it } from 'vitest'
import { testExamplesOf } from './page-examples.testkit.ts'

const told = testExamplesOf('README.md')

describe('the device that restarts in README.md', () => {
  it('comes back with new sessions', () => {
    const sessions = told.flatMap((text) => [...text.matchAll(/_session":"(\w+)"/g)].map(([, session]) => session))
    expect(sessions).toHaveLength(6)
    expect(new Set(sessions).size).toBe(6)
  })
})
