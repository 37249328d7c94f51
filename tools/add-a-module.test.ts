import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../tests/guides/examples.testkit.ts'
import { inRoot } from './setup/root.mjs'

const PAGE = 'docs/add-a-module.md'
/** Where the code of the page stands, and is compiled and run by `relay.process.test.ts`. */
const SOURCES = ['limits', 'wire', 'contract', 'service', 'firmware'].map((name) => `tools/fixtures/relay/${name}.ts`)
const INDEX_LINES = 'tools/relay.process.test.ts'

describe(PAGE, () => {
  const code = blocksOf(PAGE).filter(({ language }) => language === 'ts')

  it('shows a piece of each file of the relay, in order, to the letter', () => {
    expect(code).toHaveLength(SOURCES.length + 1)
    for (const [index, file] of SOURCES.entries()) expect(readFileSync(inRoot(file), 'utf8')).toContain(code[index]?.text)
  })

  it('shows the lines of the indexes', () => {
    const test = readFileSync(inRoot(INDEX_LINES), 'utf8')
    for (const line of code.at(-1)?.text.split('\n') ?? []) expect(test).toContain(`"${line}\\n"`)
  })
})
