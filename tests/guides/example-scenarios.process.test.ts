import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'

const MAIN = inRoot('apps', 'cli', 'dist', 'main.js')
const FOLDER = 'examples/scenarios'
/** The promise. */
const LONGEST_MS = 1000
/** A machine that has other work gets so many tries. */
const TRIES = 4

const files = readdirSync(inRoot(FOLDER)).map((name) => `${FOLDER}/${name}`)

function slotwire(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, NO_COLOR: '1', ...environment }
  const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...args], { cwd: inRoot(), env, encoding: 'utf8' })
  return { stdout, stderr, status }
}

interface Run {
  readonly ok: boolean
  readonly scenarios: readonly { readonly scenario: { readonly file: string }; readonly realMs: number }[]
}

function slowOf(some: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] {
  const { stdout, stderr, status } = slotwire(['scenario', 'run', '--json', ...some], environment)
  expect([status, stderr]).toEqual([0, ''])
  const { ok, scenarios } = JSON.parse(stdout) as Run
  expect([ok, scenarios.length]).toEqual([true, some.length])
  return scenarios.filter(({ realMs }) => realMs >= LONGEST_MS).map(({ scenario }) => scenario.file)
}

describe(FOLDER, { timeout: 120_000 }, () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slotwire example scenarios '))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has ten scenarios', () => {
    expect(files).toHaveLength(10)
    expect(files.every((file) => file.endsWith('.yaml'))).toBe(true)
  })

  it('passes as the README says', () => {
    const command = `npx --no-install slotwire scenario run ${FOLDER}/*.yaml`
    const { stdout, status } = spawnSync('bash', ['-c', command], { cwd: inRoot(), encoding: 'utf8' })
    expect(stdout.trimEnd().split('\n')).toEqual([
      ...files.map((file) => expect.stringMatching(new RegExp(`^passed .*\\(${file}\\)`)) as unknown),
      '10 scenarios: 10 passed, 0 failed',
    ])
    expect(status).toBe(0)
  })

  it.each([{ CI: 'true' }, { CI: '' }])('passes each in less than a second with %j', (environment) => {
    let slow: readonly string[] = files
    for (let attempt = 0; attempt < TRIES && slow.length > 0; attempt++) slow = slowOf(slow, environment)
    expect(slow).toEqual([])
  })

  it.each(files)('%s gives the same bytes on the buses twice', (file) => {
    const [one, other] = ['one', 'other'].map((name) => {
      const recording = join(folder, name)
      expect(slotwire(['scenario', 'run', file, '--record', recording]).status).toBe(0)
      return readFileSync(recording, 'utf8')
    })
    expect(one === other).toBe(true)
    expect(one?.split('\n').length).toBeGreaterThan(100)
  })

  it('fails readably when a step is changed', () => {
    const changed = join(folder, 'short-circuit.yaml')
    const text = readFileSync(inRoot(FOLDER, 'short-circuit.yaml'), 'utf8')
    writeFileSync(
      changed,
      text.replace('notification: 3/2, high_current_alert: true', 'notification: 3/2, high_voltage_alert: true'),
    )
    const line = text.split('\n').findIndex((each) => each.includes('notification: 3/2, high_current_alert: true')) + 1
    const { stdout, status } = slotwire(['scenario', 'run', changed])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^FAILED {2}a shorted output /)
    expect(stdout).toContain(`${changed}:${line}:`)
    expect(stdout).toContain('expect: { notification: 3/2, high_voltage_alert: true }')
    expect(stdout).toMatch(/\n {4}expected {2}.*high_voltage_alert/)
    expect(stdout).toMatch(/\n {4}saw {7}.*high_current_alert/)
    expect(stdout).toMatch(/\n {4}pin 3\/2, in volts\n/)
  })
})
