import { readFileSync } from 'node:fs'
import { catalog } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { documentedParts } from './documented.testkit.ts'
import { expectationKinds } from './expect/kinds.ts'
import { parseScenario } from './parse-scenario.ts'
import { failuresOf, runText } from './run/running.testkit.ts'
import { stepKinds } from './steps/kinds.ts'

const page = readFileSync(new URL('../../../docs/guide/scenarios.md', import.meta.url), 'utf8')

/** The lines between a title and the next one. */
function below(title: string): readonly string[] {
  const lines = page.split('\n')
  const from = lines.indexOf(title)
  expect(from, `there is a title ${title}`).toBeGreaterThanOrEqual(0)
  const to = lines.findIndex((line, index) => index > from && /^##+ /.test(line))
  return lines.slice(from + 1, to < 0 ? lines.length : to)
}

/** YAML examples, whole scenarios and lists of steps, each with the title above it. */
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(({ 1: text = '', index }) => {
  const [title = ''] =
    page
      .slice(0, index)
      .match(/^#+ .*$/gm)
      ?.slice(-1) ?? []
  return [title.replace(/^#+ /, ''), text.startsWith('- ') ? `steps:\n${text}` : text] as const
})

describe('the page about scenarios', () => {
  it.each(documentedParts)('has the generated table below "$title"', ({ title, lines }) => {
    const written = below(title)
    const rows = (text: readonly string[]): readonly string[] => text.filter((line) => line.startsWith('|'))
    expect(written).toEqual(expect.arrayContaining([...lines]))
    if (title !== '## Expectations') expect(rows(written)).toEqual(rows(lines))
  })

  it('has a section for every step and expectation, and no others', () => {
    const titles = [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title)
    const steps = stepKinds(catalog)
      .map(({ name }) => name)
      .filter((name) => name !== 'expect')
    expect(titles).toEqual([...steps, ...expectationKinds.map(({ name }) => `expect: ${name}`)])
  })

  it('has an example of every step and expectation', () => {
    const shown = new Set(examples.flatMap(([, text]) => parseScenario(text, { catalog }).steps.map(({ kind }) => kind)))
    expect([...shown].sort()).toEqual(
      stepKinds(catalog)
        .map(({ name }) => name)
        .sort(),
    )
    const titles = examples.map(([title]) => title)
    expect(titles).toEqual(expect.arrayContaining(expectationKinds.map(({ name }) => `expect: ${name}`)))
  })

  it.each(examples)('has an example that works: %s', async (_title, text) => {
    expect(failuresOf(await runText(text))).toEqual([])
  })
})
