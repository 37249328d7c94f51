import type { ObjectSchema } from '@slotwire/contract'
import type { Kind } from '@slotwire/twin'
import { elementKinds, faultKinds, snakeName } from '@slotwire/twin'
import { expectationKinds, sharedFields } from './expect/kinds.ts'
import { matcherType } from './expect/matcher.ts'
import { headerFields } from './parse-scenario.ts'
import type { StepField, StepFields } from './read/field.ts'
import { deviceWord, duration, givenName, pinPlace, slotNumber } from './read/field-types.ts'
import { apiPath, statusType } from './read/rest-types.ts'
import { kindsOf, schemaType } from './read/schema-type.ts'
import { specified } from './specified.testkit.ts'
import { stepKinds } from './steps/kinds.ts'
import { timeFields } from './steps/read-steps.ts'

/** A part of the page about scenarios that follows from a table: its title, and its lines. */
export interface DocumentedPart {
  readonly title: string
  readonly lines: readonly string[]
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Types of values that many settings have: the page explains each once, under this name. */
const VALUES = {
  time: duration,
  slot: slotNumber,
  pin: pinPlace,
  name: givenName,
  word: deviceWord,
  path: apiPath,
  status: statusType,
  match: matcherType,
}

const valueTable = [
  '| value | how it is written |',
  '|---|---|',
  ...Object.entries(VALUES).map(([name, { wording }]) => `| ${name} | ${wording} |`),
]

const valueOf = ({ type }: StepField<unknown>): string =>
  Object.entries(VALUES).reduce((text, [name, { wording }]) => text.replaceAll(wording, name), type.wording)

/** The fields of an action, but the kinds: those have a table of their own. */
function bodyFields(body: ObjectSchema): StepFields {
  const kinds = kindsOf(body)
  const own = Object.entries(body.properties).filter(([name]) => !kinds.includes(name))
  return Object.fromEntries(
    own.flatMap(([name, schema]) => {
      const isSetting = schema.description?.startsWith('of ') === true
      const field = { type: schemaType(schema), meaning: schema.description ?? '', isNeeded: body.required.includes(name) }
      return isSetting ? [] : [[name, field]]
    }),
  )
}

function fieldTable(fields: StepFields): readonly string[] {
  const rows = Object.entries(fields).map(
    ([name, field]) => `| \`${name}\`${field.isNeeded ? '' : ' (optional)'} | ${valueOf(field)} | ${sentence(field.meaning)} |`,
  )
  return rows.length === 0 ? [] : ['| setting | value | meaning |', '|---|---|---|', ...rows]
}

/** Kinds of elements or faults: name, what it is, and its settings with their defaults. */
function kindTable(kinds: readonly (Kind & { readonly summary: string })[]): readonly string[] {
  const rows = kinds.map(({ kind, summary, fields, later, primary }) => {
    const settings = Object.entries({ ...fields, ...later }).map(([name, field]) => {
      const initial = field.default === undefined ? '' : ` (${field.default})`
      const named = `\`${snakeName(name)}\``
      return `${name === primary ? `**${named}**` : named}${initial}`
    })
    return `| \`${snakeName(kind)}\` | ${sentence(summary)} | ${settings.join(', ')} |`
  })
  return ['| kind | what it is | settings |', '|---|---|---|', ...rows]
}

/** All parts of the page that follow from tables, in their order. */
export const documentedParts: readonly DocumentedPart[] = [
  { title: '## Settings of a scenario', lines: fieldTable(headerFields) },
  { title: '## Steps and time', lines: fieldTable(timeFields) },
  { title: '## Values', lines: valueTable },
  { title: '## Elements', lines: kindTable(Object.values(elementKinds)) },
  { title: '## Faults', lines: kindTable(Object.values(faultKinds)) },
  ...stepKinds(specified)
    .filter(({ name }) => name !== 'expect')
    .map(({ name, summary, fields = {}, body }) => ({
      title: `### ${name}`,
      lines: [`${summary.replace(/\.$/, '')}.`, ...fieldTable(body === undefined ? fields : bodyFields(body))],
    })),
  { title: '## Expectations', lines: fieldTable(sharedFields) },
  ...expectationKinds.map(({ name, summary, fields, flags }) => ({
    title: `### expect: ${name}`,
    lines: [summary, ...fieldTable({ ...fields, ...flags(specified) })],
  })),
]
