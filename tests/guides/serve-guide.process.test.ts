import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'

const PAGE = 'docs/guide/serve.md'
const OPTION = /^(?: {2}|\| `)(--[a-z-]+)/gm

it(`lists every option of \`slotwire serve\` in ${PAGE}`, () => {
  const main = inRoot('apps', 'cli', 'dist', 'main.js')
  const { stdout } = spawnSync(process.execPath, [main, 'serve', '--help'], { encoding: 'utf8' })
  const optionsIn = (text: string): readonly (string | undefined)[] => [...text.matchAll(OPTION)].map(([, name]) => name).sort()
  expect(optionsIn(readFileSync(inRoot(PAGE), 'utf8'))).toEqual(optionsIn(stdout))
})
