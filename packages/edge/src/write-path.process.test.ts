import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { calledByWrite, table, toTheBus } from '../../../tools/write-path.mjs'

const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')
const section = page.split('### A write, step by step')[1]?.split('\n#')[0] ?? ''
/** The first file and function of each step: "1. `packages/edge/src/door/door.ts` `#onRequest`: …". */
const steps = [...section.matchAll(/^\d+\. `([^`]+\.ts)`(?: `([^`]+)`)?:/gm)].map(([, file, name]) => ({ file, name }))
/** Up to the bus, and in all. */
const bounds = [...section.matchAll(/at most (\d+) files and (\d+) functions/g)].map(([, files, functions]) => [files, functions])

it('a warm write runs the first file and function of each step in docs/architecture.md, and no more files and functions than it says', async () => {
  const called = await calledByWrite()
  expect(steps.length).toBeGreaterThan(15)
  const isRun = ({ file, name }: (typeof steps)[number]) =>
    called.some((one) => one.file === file && one.name === (name ?? one.name))
  expect(steps.filter((step) => !isRun(step))).toEqual([])
  for (const [index, part] of [toTheBus(called), called].entries()) {
    const [files, functions] = bounds[index] ?? []
    expect(new Set(part.map(({ file }) => file)).size, table(called)).toBeLessThanOrEqual(Number(files))
    expect(part.length, table(called)).toBeLessThanOrEqual(Number(functions))
  }
})
