import { afterAll, expect, it } from 'vitest'
import { blocksOf, errorStatusesOf, examplesOf, patternOf, withoutSpace } from './examples.testkit.ts'
import { ServedExamples } from './served-examples.testkit.ts'

const PAGE = 'docs/guide/events.md'
const MARK = '¶'
const served = new ServedExamples()

afterAll(() => served.remove())

it(`shows the answers to the commands of "One writer", "All off" and "The past" in ${PAGE}, pasted in one go`, {
  timeout: 20_000,
}, async () => {
  const begin = blocksOf(PAGE).find(({ text }) => text.includes('If-Match'))?.line ?? Number.POSITIVE_INFINITY
  const examples = examplesOf(PAGE).filter(({ line, answer }) => line >= begin && answer !== undefined)
  expect(examples).toHaveLength(6)
  await served.start(['--hardware', 'twin'])
  const { stdout, statuses } = await served.run(examples.map(({ commands }) => commands).join(`\necho '${MARK}'\n`))
  const answers = stdout.split(MARK)
  for (const [index, { answer = '' }] of examples.entries()) {
    expect(withoutSpace(answers[index] ?? '')).toMatch(patternOf(answer))
  }
  expect(statuses.filter((status) => status !== 200)).toEqual(examples.flatMap(({ answer = '' }) => errorStatusesOf(answer)))
})
