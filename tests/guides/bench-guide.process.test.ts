import { readFileSync } from 'node:fs'
import { elementKinds, faultKinds, snakeName } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { testExamplesOf } from './page-examples.testkit.ts'

const PAGE = 'docs/guide/bench.md'
/** Lists may be wrapped anywhere. */
const page = readFileSync(inRoot(PAGE), 'utf8').replaceAll(/\s+/g, ' ')

testExamplesOf(PAGE)

describe(`the lists of ${PAGE}`, () => {
  it.each([
    ['elements', elementKinds],
    ['faults', faultKinds],
  ])('name all %s', (_name, kinds) => {
    const names = Object.values<{ readonly kind: string }>(kinds).map(({ kind }) => `\`${snakeName(kind)}\``)
    expect(page).toContain(`${names.join(', ')}.`)
  })
})
