import { readFileSync } from 'node:fs'
import { elementKinds, type Fields, faultKinds } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { testExamplesOf } from './page-examples.testkit.ts'

const PAGE = 'docs/guide/bench.md'
const page = readFileSync(inRoot(PAGE), 'utf8')

testExamplesOf(PAGE)

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface Kind {
  readonly kind: string
  readonly summary: string
  readonly fields: Fields
}

function rowOf({ kind, summary, fields }: Kind): string {
  const names = Object.keys(fields).map((name) => `\`${snakeCase(name)}\``)
  return `| \`${snakeCase(kind)}\` | ${summary} | ${names.join(', ')} |`
}

describe(`the tables of ${PAGE}`, () => {
  it.each([
    ['what it is', elementKinds],
    ['what goes wrong', faultKinds],
  ])('have every kind under "%s", as it is declared', (heading, kinds) => {
    const lines = page.split('\n')
    const begin = lines.indexOf(`| path | ${heading} | fields |`) + 2
    const end = lines.findIndex((line, index) => index >= begin && !line.startsWith('|'))
    expect(lines.slice(begin, end)).toEqual(Object.values<Kind>(kinds).map(rowOf))
  })
})
