import { readFileSync } from 'node:fs'
import type { ParsedFamily } from '../../packages/service/src/metrics/exposition.testkit.ts'

const PAGE = new URL('../../docs/guide/metrics.md', import.meta.url)
const HEAD = '| metric | type | labels | says |\n|---|---|---|---|\n'

/** The rows of both tables in docs/guide/metrics.md: metrics of every service, and those that `slotwire serve` adds. */
export function documentedRows(): { readonly ofService: readonly string[]; readonly ofDoors: readonly string[] } {
  const [ofService, ofDoors, ...others] = readFileSync(PAGE, 'utf8').split(HEAD).slice(1).map(rowsAtBegin)
  if (ofService === undefined || ofDoors === undefined || others.length > 0)
    throw new Error('the page does not have exactly two tables')
  return { ofService, ofDoors }
}

/** The row that the page must have for a served metric. */
export function rowOf({ name, type, help, samples }: ParsedFamily): string {
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'))
  const list = labels.size === 0 ? 'none' : [...labels].map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${list} | ${help} |`
}

function rowsAtBegin(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  )
}
