import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf, patternOf, withoutSpace } from './examples.testkit.ts'
import { testExamplesOf } from './page-examples.testkit.ts'

const PAGE = 'README.md'
const RUN = /^npx slotwire (scenario run (\S+))$/

testExamplesOf(PAGE)

it(`shows the report of the scenario in ${PAGE}`, () => {
  const blocks = blocksOf(PAGE)
  const index = blocks.findIndex(({ text }) => RUN.test(text))
  const [scenario, run, report] = blocks.slice(index - 1)
  const [, options = '', file = ''] = RUN.exec(run?.text ?? '') ?? []
  const folder = temporaryFolder()
  writeFileSync(join(folder, file), scenario?.text ?? '')
  const main = inRoot('apps', 'cli', 'dist', 'main.js')
  const { stdout, status } = spawnSync(process.execPath, [main, ...options.split(' ')], { cwd: folder, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(withoutSpace(stdout)).toMatch(patternOf(report?.text ?? ''))
})
