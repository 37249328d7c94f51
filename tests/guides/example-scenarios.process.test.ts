import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { FOLDER, files, runScenarios } from './example-scenarios.testkit.ts'
import { blocksOf } from './examples.testkit.ts'
import { ServedExamples } from './served-examples.testkit.ts'

it(`all scenarios in ${FOLDER} pass`, { timeout: 120_000 }, () =>
  expect(runScenarios(`${FOLDER}/*.yaml`).trimEnd().split('\n')).toEqual([
    ...files.map((file) => expect.stringMatching(new RegExp(`^passed .*\\(${file}\\)`)) as unknown),
    `${files.length} scenarios: ${files.length} passed, 0 failed`,
  ]),
)

it('the scenarios of a folder run as docs/guide/scenarios.md shows, on new devices and on one that runs', {
  timeout: 60_000,
}, async () => {
  const served = new ServedExamples()
  const folder = temporaryFolder({ prefix: 'slotwire-' })
  onTestFinished(async () => {
    await served.remove()
  })
  const blocks = blocksOf('docs/guide/scenarios.md')
  mkdirSync(join(folder, 'tests'))
  const scenarios = blocks.filter(({ language, text }) => language === 'yaml' && text.includes('tags: ['))
  for (const [index, { text }] of scenarios.entries()) writeFileSync(join(folder, 'tests', `${index}.yml`), text)
  await served.start(['--hardware', 'twin'])
  const shell = blocks.filter(({ language, text }) => language === 'sh' && text.includes(' run tests '))
  const commands = shell.map(({ text }) => text.replaceAll('npx slotwire', `node '${inRoot('apps/cli/dist/main.js')}'`))
  const { stdout } = await served.run([`cd '${folder}'`, ...commands].join('\n'))
  expect(stdout.replaceAll(/: .*/g, '').trimEnd().split('\n')).toEqual([
    'passed  the input of a sensor (tests/0.yml), seed 1',
    'passed  the input of a sensor (tests/0.yml), seed 1',
    'passed  a threshold (tests/1.yml)',
  ])
})
