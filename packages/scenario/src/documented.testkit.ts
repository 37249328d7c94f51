import { wordingOf } from '@slotwire/core'
import type { Kind } from '@slotwire/twin'
import { elementKinds, faultKinds, snakeName } from '@slotwire/twin'
import { sharedFields } from './expect/expectation.ts'
import { expectationKinds } from './expect/kinds.ts'
import { headerFields } from './parse-scenario.ts'
import type { Fields } from './read/field.ts'
import { specified } from './specified.testkit.ts'
import { stepKinds } from './steps/kinds.ts'
import { timeFields } from './steps/read-steps.ts'

/** A part of the page about scenarios that is derived from code: its title, and the lines below it. */
export interface DocumentedPart {
  readonly title: string
  readonly lines: readonly string[]
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

function fieldTable(fields: Fields): readonly string[] {
  const rows = Object.entries(fields).map(
    ([name, { meaning, isNeeded, type }]) =>
      `| \`${name}\` | ${isNeeded ? 'yes' : ''} | ${sentence(meaning)} | ${type.wording} |`,
  )
  return rows.length === 0 ? [] : ['| setting | required | meaning | value |', '|---|---|---|---|', ...rows]
}

/** Table of elements or faults: name, summary, and bounds and default of each setting. */
function kindTable(kinds: readonly (Kind & { readonly summary: string })[]): readonly string[] {
  const rows = kinds.map(({ kind, summary, fields, primary }) => {
    const settings = Object.entries(fields).map(([name, field]) => {
      const bounds = wordingOf(field)
      const initial = field.default === undefined ? '' : `; ${field.default}`
      const named = `\`${snakeName(name)}\``
      return `${name === primary ? `**${named}**` : named} (${bounds}${initial})`
    })
    return `| \`${snakeName(kind)}\` | ${sentence(summary)} | ${settings.join(', ')} |`
  })
  return ['| kind | meaning | settings |', '|---|---|---|', ...rows]
}

/** All derived parts of the page, in their order. */
export const documentedParts: readonly DocumentedPart[] = [
  { title: '## The top', lines: fieldTable(headerFields) },
  { title: '## Time', lines: fieldTable(timeFields) },
  { title: '## Elements', lines: kindTable(Object.values(elementKinds)) },
  { title: '## Faults', lines: kindTable(Object.values(faultKinds)) },
  ...stepKinds
    .filter(({ name }) => name !== 'expect')
    .map(({ name, summary, fields }) => ({ title: `### ${name}`, lines: [summary, ...fieldTable(fields)] })),
  { title: '## Expectations', lines: fieldTable(sharedFields) },
  ...expectationKinds.map(({ name, summary, fields, flags }) => ({
    title: `### expect: ${name}`,
    lines: [summary, ...fieldTable({ ...fields, ...flags(specified) })],
  })),
]
