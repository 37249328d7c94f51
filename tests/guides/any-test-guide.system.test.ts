import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { junitClassPath } from '../../tools/setup/system-programs.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

const PAGE = 'docs/guide/any-test.md'
/** Real programs on a busy machine. */
const LIMIT_MS = 120_000

const textOf = (language: string): string => blocksOf(PAGE).find((block) => block.language === language)?.text ?? ''

const folder = temporaryFolder()

/** Runs a program in a folder in which the command is installed, as a project's and as a global one. */
function run(program: string, ...words: readonly string[]): { readonly status: number | null; readonly said: string } {
  const PATH = `${join(folder, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH, TMPDIR: folder },
  })
  return { status, said: stdout + stderr }
}

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(inRoot('apps', 'cli', 'bin', 'slotwire.js'), join(folder, 'node_modules', '.bin', 'slotwire'))
  symlinkSync(inRoot('node_modules', 'vitest'), join(folder, 'node_modules', 'vitest'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const [language, file] of Object.entries({ ts: 'sensor.test.ts', python: 'test_sensor.py', java: 'SensorTest.java' }))
    writeFileSync(join(folder, file), textOf(language))
})

describe(PAGE, { timeout: LIMIT_MS }, () => {
  it('runs its vitest example', () => {
    const { status, said } = run(process.execPath, 'node_modules/vitest/vitest.mjs', 'run')
    expect({ status, said }).toEqual({ status: 0, said: expect.stringMatching(/1 passed/) as string })
  })
})

describeWith('pytest', PAGE, (pytest) => {
  it('runs its pytest example', { timeout: LIMIT_MS }, () => {
    const { status, said } = run(pytest, '-p', 'no:cacheprovider')
    expect({ status, said }).toEqual({ status: 0, said: expect.stringMatching(/1 passed/) as string })
  })
})

describeWith(['javac', 'junit'], PAGE, (javac, java) => {
  it('runs its JUnit example', { timeout: LIMIT_MS }, () => {
    expect(run(javac, '-cp', junitClassPath, 'SensorTest.java')).toEqual({ status: 0, said: '' })
    const launcher = 'org.junit.platform.console.ConsoleLauncher'
    const { status, said } = run(java, '-cp', `.${delimiter}${junitClassPath}`, launcher, '--select-class', 'SensorTest')
    expect({ status, said }).toEqual({ status: 0, said: expect.stringMatching(/1 tests successful/) as string })
  })
})

it(`starts the twins of ${PAGE} with the options that it explains`, () => {
  const options = textOf('sh').split(' ').slice(2)
  for (const language of ['ts', 'python', 'java'])
    for (const word of options) expect(textOf(language)).toMatch(new RegExp(`[" ']${word}[" ']`))
})
