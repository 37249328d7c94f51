import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf, patternOf, withoutSpace } from './examples.testkit.ts'

const PAGE = 'docs/guide/troubleshooting.md'
const MAIN = inRoot('apps', 'cli', 'dist', 'main.js')
const SLOTWIRE = `slotwire() { '${process.execPath}' '${MAIN}' "$@"; }\n`
const COMMAND = 'slotwire doctor'
const blocks = blocksOf(PAGE)
const examples = blocks.flatMap(({ language, line, text }, index) =>
  language === 'sh' && text.startsWith(COMMAND) ? [{ line, commands: text, answer: blocks[index + 1]?.text ?? '' }] : [],
)

describe(`the doctor in ${PAGE}`, { timeout: 60_000 }, () => {
  const folder = temporaryFolder()

  it('is asked twice', () => expect(examples).toHaveLength(2))

  it.each(examples)('line $line: $commands', ({ commands, answer }) => {
    // The machine of a test has no modules, wherever it is.
    const here = commands.replace('--hardware kernel', `--hardware kernel --sys-root '${folder}'`)
    const environment = { ...process.env, SLOTWIRE_STATE: join(folder, 'state') }
    const { stdout, status } = spawnSync('bash', ['-euo', 'pipefail', '-c', SLOTWIRE + here], {
      env: environment,
      encoding: 'utf8',
    })
    expect(withoutSpace(stdout)).toMatch(patternOf(answer))
    expect(status).toBe(0)
  })
})
