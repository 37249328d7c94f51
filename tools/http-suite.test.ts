import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { outcomeOf, suiteFiles } from './setup/http-suite.mjs'
import { inRoot } from './setup/root.mjs'
import { filesBelow } from './setup/sources.mjs'

/** Runs on one device in one world, and why. */
const inOneWorld = ['modules/soak.test.ts']

/** A report of one file with these tests. */
function report(...tests: (readonly [fullName: string, status: string])[]): Parameters<typeof outcomeOf>[0] {
  return [{ name: inRoot('io.test.ts'), assertionResults: tests.map(([fullName, status]) => ({ fullName, status })) }]
}

describe('the outcome of the HTTP suite', () => {
  it('is one line with a count for each world', () => {
    const both = report(
      ['GET mode (twin) tells it', 'passed'],
      ['GET mode (kernel) tells it', 'passed'],
      ['GET mode (twin) is fast', 'passed'],
      ['GET mode (kernel) is fast', 'passed'],
      ['the walk covers everything', 'passed'],
    )
    expect(outcomeOf(both)).toEqual({
      line: "HTTP suite: 2 passed over the twin, 2 passed over the kernel's files",
      faults: [],
    })
  })

  it.each(['failed', 'skipped', 'pending'])('names a test that has %s in one world', (status) => {
    const { line, faults } = outcomeOf(report(['GET mode (twin) tells it', 'passed'], ['GET mode (kernel) tells it', status]))
    expect(line).toBe("HTTP suite: 1 passed over the twin, 0 passed over the kernel's files")
    expect(faults).toEqual(["not passed over the kernel's files: io.test.ts: GET mode tells it"])
  })

  it('names a test that there is in one world alone, though as many passed in each', () => {
    const { faults } = outcomeOf(report(['GET mode (twin) tells it', 'passed'], ['GET mode (kernel) is fast', 'passed']))
    expect(faults).toEqual([
      'not passed over the twin: io.test.ts: GET mode is fast',
      "not passed over the kernel's files: io.test.ts: GET mode tells it",
    ])
  })

  it('is a fault when nothing has run', () => {
    expect(outcomeOf([])).toEqual({
      line: "HTTP suite: 0 passed over the twin, 0 passed over the kernel's files",
      faults: ['no test has run'],
    })
  })
})

describe('the HTTP suite', () => {
  it('has every test file of a whole device, but for those that need one world only', () => {
    const ofDevices = filesBelow('modules', ['dist']).filter(
      (file) => file.endsWith('.test.ts') && /(device|worlds)\.testkit\.ts'/.test(readFileSync(inRoot(file), 'utf8')),
    )
    expect(ofDevices.filter((file) => !suiteFiles().includes(file)).sort()).toEqual(inOneWorld)
    expect(suiteFiles().length).toBeGreaterThan(20)
  })
})
