import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'

const FOLDER = 'examples/scenarios'
/** The promise. */
const LONGEST_MS = 1000
/** A machine that has other work gets so many tries. */
const TRIES = 4

const files = readdirSync(inRoot(FOLDER)).map((name) => `${FOLDER}/${name}`)

interface Run {
  readonly scenarios: readonly { readonly scenario: { readonly file: string }; readonly realMs: number }[]
}

function run(options: string) {
  const command = `npx --no-install slotwire scenario run ${options}`
  const { stdout, status } = spawnSync('sh', ['-c', command], { cwd: inRoot(), encoding: 'utf8' })
  expect(status).toBe(0)
  return stdout
}

describe(FOLDER, { timeout: 120_000 }, () => {
  it('passes as the README says', () => {
    expect(run(`${FOLDER}/*.yaml`).trimEnd().split('\n')).toEqual([
      ...files.map((file) => expect.stringMatching(new RegExp(`^passed .*\\(${file}\\)`)) as unknown),
      '10 scenarios: 10 passed, 0 failed',
    ])
  })

  it('passes each scenario in less than a second', () => {
    let slow: readonly string[] = files
    for (let attempt = 0; attempt < TRIES && slow.length > 0; attempt++) {
      const { scenarios } = JSON.parse(run(`--json ${slow.join(' ')}`)) as Run
      slow = scenarios.filter(({ realMs }) => realMs >= LONGEST_MS).map(({ scenario }) => scenario.file)
    }
    expect(slow).toEqual([])
  })
})
