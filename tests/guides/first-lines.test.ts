import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'

const pages = readdirSync(inRoot('docs', 'guide')).filter((name) => name.endsWith('.md'))

it.each(pages)('docs/guide/%s begins with what the reader can do after it', (page) => {
  expect(readFileSync(inRoot('docs', 'guide', page), 'utf8')).toMatch(/^# .+\n\nAfter this page /)
})
