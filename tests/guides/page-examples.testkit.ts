import { afterAll, describe, expect, it } from 'vitest'
import { type Example, errorStatusesOf, examplesOf, patternOf, withoutSpace } from './examples.testkit.ts'
import { type Outcome, ServedExamples } from './served-examples.testkit.ts'

/** Commands that are not run here: they would run this test again, or take minutes. */
const NOT_RUN = /^npm (test|install|run (benchmark|pack))\b/
/** Examples of other commands; the tests of their pages run them. */
const OTHER_COMMAND = /^npx slotwire (?!serve\b)/
const START = /^(?:git clone \S+\ncd \S+\n)?(?:npm start(?: -- (.*))?|npx slotwire serve(?: (.*))?)$/
/** Notifications, counters and restarts take time: a request that only reads is repeated for so long. */
const ANSWER_WITHIN_MS = 8000
/** An example that posts a body changes something: it is run once. */
const HAS_EFFECT = / -d /
/** Separates the answers of pasted examples. */
const MARK = '¶'

const optionsOf = (start: string): readonly string[] => {
  const [, afterStart, afterServe] = START.exec(start) ?? []
  return (afterStart ?? afterServe)?.split(' ') ?? []
}

function expectStatuses({ statuses }: Outcome, examples: readonly Example[]): void {
  const count = examples.reduce((sum, { commands }) => sum + (commands.match(/\bcurl /g)?.length ?? 0), 0)
  expect(statuses).toHaveLength(count)
  const errors = examples.flatMap(({ answer = '' }) => errorStatusesOf(answer))
  expect(statuses.filter((status) => status !== 200)).toEqual(errors)
}

/** Runs each shell example of a page in order, and compares its answer with the page. */
export function testExamplesOf(page: string): void {
  const served = new ServedExamples()
  const examples = examplesOf(page).filter(({ commands }) => !NOT_RUN.test(commands) && !OTHER_COMMAND.test(commands))

  async function expectAnswer(example: Example): Promise<void> {
    const outcome = await served.run(example.commands)
    expect(withoutSpace(outcome.stdout)).toMatch(patternOf(example.answer ?? ''))
    expectStatuses(outcome, [example])
  }

  async function expectAnswerInTime(example: Example): Promise<void> {
    const ask = () => expectAnswer(example).then(() => 'as shown', String)
    await expect.poll(ask, { timeout: ANSWER_WITHIN_MS }).toBe('as shown')
  }

  describe(page, { timeout: 20_000 }, () => {
    afterAll(() => served.remove())

    it.each(examples)('shows the answer to line $line: $commands', async (example) => {
      const { commands } = example
      if (START.test(commands)) await served.start(optionsOf(commands))
      else if (HAS_EFFECT.test(commands)) await expectAnswer(example)
      else await expectAnswerInTime(example)
    })
  })
}

/** Pastes all examples between two starts in one go, as a reader may, and compares the answers with the page. Returns the answers. */
export function testPastedExamplesOf(page: string): readonly string[] {
  const served = new ServedExamples()
  const answers: string[] = []
  const pastes: { line: number; start: string; examples: Example[] }[] = []
  for (const example of examplesOf(page)) {
    if (START.test(example.commands)) pastes.push({ line: example.line, start: example.commands, examples: [] })
    else pastes.at(-1)?.examples.push(example)
  }

  describe(page, { timeout: 60_000 }, () => {
    afterAll(() => served.remove())

    it.each(pastes)('shows the answers to all commands after line $line, pasted in one go', async ({ start, examples }) => {
      await served.start(optionsOf(start))
      const outcome = await served.run(examples.map(({ commands }) => commands).join(`\necho '${MARK}'\n`))
      const parts = outcome.stdout.split(MARK)
      expect(examples.map(({ line }, index) => ({ line, answer: withoutSpace(parts[index] ?? '') }))).toEqual(
        examples.map(({ line, answer = '' }) => ({ line, answer: expect.stringMatching(patternOf(answer)) as string })),
      )
      expectStatuses(outcome, examples)
      if (examples.some(({ commands }) => commands.includes('kill -9 '))) expect(await served.ended()).toBe('SIGKILL')
      answers.push(...parts)
    })
  })
  return answers
}
