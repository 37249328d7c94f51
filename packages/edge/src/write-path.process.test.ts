import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { calledByWrite, table } from '../../../tools/write-path.mjs'

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')
const section = page.split('### A write, step by step')[1]?.split('\n#')[0] ?? ''
/** The first file and function of each step: "1. `packages/edge/src/door/door.ts` `#onRequest`: …". */
const steps = [...section.matchAll(/^\d+\. `([^`]+\.ts)`(?: `([^`]+)`)?:/gm)].map(([, file, name]) => ({ file, name }))
const [, mostFiles, mostFunctions] = /at most (\d+) files and (\d+) functions/.exec(section) ?? []

it('a warm write runs the first file and function of each step in docs/architecture.md, and no more files and functions than it says', async () => {
  const called = await calledByWrite()
  const files = new Set(called.map(({ file }) => file))
  expect(steps.length).toBeGreaterThan(15)
  const isRun = ({ file, name }: (typeof steps)[number]) =>
    called.some((one) => one.file === file && one.name === (name ?? one.name))
  expect(steps.filter((step) => !isRun(step))).toEqual([])
  expect(files.size, table(called)).toBeLessThanOrEqual(Number(mostFiles))
  expect(called.length, table(called)).toBeLessThanOrEqual(Number(mostFunctions))
})
