import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatTable } from './text.ts'

const plain = (text: string): string => text

it('a table breaks texts at spaces, and keeps words whole while they fit', () => {
  const rows = [
    { slot: 0, product: 'Virtual mainboard controller', serial: '0000-A087-00B3' },
    { slot: 10, product: '', serial: undefined },
  ]
  expect(formatTable(rows, plain, 32).split('\n')).toEqual([
    'SLOT  PRODUCT     SERIAL',
    '0     Virtual     0000-A087-00B3',
    '      mainboard',
    '      controller',
    '10',
    '',
  ])
})

it('no table is wider than the terminal, and every text is in it', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.stringMatching(/^[\w={}" -]{0,150}$/), fc.integer())
  const columns = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,15}$/), { minLength: 1, maxLength: 8 })
  const rows = columns.chain((names) =>
    fc.array(fc.record(Object.fromEntries(names.map((name) => [name, cell]))), { minLength: 1 }),
  )
  fc.assert(
    fc.property(rows, fc.integer({ min: 40, max: 120 }), (some, width) => {
      const text = formatTable(some, plain, width)
      for (const line of text.split('\n')) expect(Array.from(line).length).toBeLessThanOrEqual(width)
      const letters = (shown: string): number => shown.replaceAll(/[^0-9a-z]/g, '').length
      if (some.every((row) => Object.values(row).every((value) => /^[\w={}" -]*$/.test(String(value)))))
        expect(letters(text)).toBe(some.reduce((sum, row) => sum + letters(Object.values(row).join('')), 0))
    }),
  )
})
