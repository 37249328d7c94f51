import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { calledByWrite, table } from '../../../tools/write-path.mjs'

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')
const section = page.split('### A write, step by step')[1]?.split('\n#')[0] ?? ''
/** The files of the steps: "1. `packages/edge/src/door/door.ts`: …". */
const named = [...section.matchAll(/^ *(?:\d+\.|-) `([^`]+\.ts)`/gm)].map(([, file]) => file as string)
const [, mostFiles, mostFunctions] = /at most (\d+) files and (\d+) functions/.exec(section) ?? []

it('a warm write runs every file that docs/architecture.md names, and no more files and functions than it says', async () => {
  const called = await calledByWrite()
  const files = new Set(called.map(({ file }) => file))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((file) => !files.has(file))).toEqual([])
  expect(files.size, table(called)).toBeLessThanOrEqual(Number(mostFiles))
  expect(called.length, table(called)).toBeLessThanOrEqual(Number(mostFunctions))
})
