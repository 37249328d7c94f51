import { afterAll, describe, expect, it } from 'vitest'
import { errorStatusesOf, examplesOf, patternOf, withoutSpace } from './examples.testkit.ts'
import { ServedExamples } from './served-examples.testkit.ts'

/** Commands that are not run here: they would run this test again, or take minutes. */
const NOT_RUN = /^npm (test|run benchmark)\b/
const START = /^npm start(?: -- (.*))?$/
/** Notifications, counters and restarts take their time: what only reads is asked again so long. */
const ANSWER_WITHIN_MS = 8000
/** Bodies are posted: such an example is run once. */
const HAS_EFFECT = / -d /

/** Runs every shell example of a page, in order, and compares its answers with those shown. Returns the stdout of each. */
export function testExamplesOf(page: string): readonly string[] {
  const served = new ServedExamples()
  const told: string[] = []
  const examples = examplesOf(page).filter(({ commands }) => !NOT_RUN.test(commands))

  async function expectAnswer(commands: string, answer: string): Promise<void> {
    const { stdout, statuses } = await served.run(commands)
    expect(withoutSpace(stdout)).toMatch(patternOf(answer))
    expect(statuses).toHaveLength(commands.match(/\bcurl /g)?.length ?? 0)
    expect(statuses.filter((status) => status !== 200)).toEqual(errorStatusesOf(answer))
    told.push(stdout)
  }

  async function expectAnswerInTime(commands: string, answer: string): Promise<void> {
    const ask = () => expectAnswer(commands, answer).then(() => 'as shown', String)
    await expect.poll(ask, { timeout: ANSWER_WITHIN_MS }).toBe('as shown')
  }

  describe(page, { timeout: 20_000 }, () => {
    afterAll(() => served.remove())

    it.each(examples)('line $line: $commands', async ({ commands, answer }) => {
      const start = START.exec(commands)
      if (start !== null) {
        await served.start(start[1]?.split(' ') ?? [])
      } else if (answer === undefined) {
        expect(commands, 'what shows no answer').toMatch(/^kill -9 /)
        await served.run(commands)
        expect(await served.ended()).toBe('SIGKILL')
      } else if (HAS_EFFECT.test(commands)) {
        await expectAnswer(commands, answer)
      } else {
        await expectAnswerInTime(commands, answer)
      }
    })
  })
  return told
}
