import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRoot } from '../../../tools/setup/root.mjs'
import type { Sentence } from './check.ts'
import { sentences } from './sentences.ts'

const PAGE = inRoot('docs', 'conformance.md')
const HEAD = `# Conformance

\`slotwire conform\` checks a device against [the specification](reference/device-module-rest-interface.md); [Judge a device](guide/conform.md) says how. This page
lists each normative sentence with its checks. The effect of a check is *read*, or the option that allows it: \`--write\`, \`--disruptive\`, \`--wired\`, \`--bench\`. A
sentence without a check says why it cannot be seen from outside.
`
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
const rowOf = ({ id, text, checks, unseen = '' }: Sentence) => {
  const rows = checks.map((check) => `| | \`${check.id}\` | ${check.effect} | ${cell(check.does)} |`)
  return [`| **${cell(text)}** | \`${id}\` | | ${unseen === '' ? '' : `Not seen from outside: ${cell(unseen)}`} |`, ...rows]
}

it('docs/conformance.md lists every sentence: write it again with npm run test:unit -- packages/conform/src/documented -u', async () => {
  const sections = [...new Set(sentences.map(({ section }) => section))]
  const parts = sections.map((name) => {
    const rows = sentences.filter(({ section }) => section === name).flatMap(rowOf)
    return [`## ${name}`, '', '| sentence | id | effect | check |', '|---|---|---|---|', ...rows, ''].join('\n')
  })
  await expect([HEAD, ...parts].join('\n')).toMatchFileSnapshot(PAGE)
})

it('every id is there once, and every sentence has checks or a reason', () => {
  const ids = [...sentences.map(({ id }) => id), ...sentences.flatMap(({ checks }) => checks.map(({ id }) => id))]
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(sentences.filter(({ checks, unseen }) => (checks.length === 0) !== (unseen !== undefined))).toEqual([])
})

it('every section names a heading of the specification', () => {
  const spec = readFileSync(inRoot('docs', 'reference', 'device-module-rest-interface.md'), 'utf8')
  const headings = [...spec.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text)
  const known = (section: string) => headings.some((heading) => heading.startsWith(section))
  expect([...new Set(sentences.map(({ section }) => section))].filter((section) => !known(section))).toEqual([])
})
