import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { inputText, MAX_INPUT_BYTES, textOf } from './files.ts'
import { colorsFor, formatTable } from './text.ts'
import { asUsageError } from './usage-error.ts'

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

const failed = (code: string): Error => Object.assign(new Error(`${code}: open '/state/tokens.json'`), { code })

it.each([
  ['EACCES', 'run this as the user of the service, or name its state folder with --state <dir>'],
  ['EROFS', 'its disk is read-only: make it writable, or name another state folder with --state <dir>'],
  ['ENOSPC', 'free some space there, or name another state folder with --state <dir>'],
  ['EISDIR', 'a folder has the place of this file: move the folder away'],
])('a file of the state folder that cannot be used after %s is refused with its own remedy', (code, remedy) =>
  expect(asUsageError(failed(code))).toMatchObject({ message: `${code}: open '/state/tokens.json': ${remedy}` }),
)

it('no input is read beyond 8 MiB: neither a file nor standard input', async () => {
  const file = join(temporaryFolder(), 'backup.json')
  writeFileSync(file, ' '.repeat(MAX_INPUT_BYTES + 1))
  expect(() => textOf(file, 'backup')).toThrow(`the backup in ${file} is too large: at most 8388608 bytes`)
  const endless = (async function* () {
    for (;;) yield Buffer.alloc(1_048_576)
  })()
  await expect(inputText(endless)).rejects.toThrow('standard input is too large: at most 8388608 bytes')
  expect(await inputText(Readable.from([Buffer.from('a '), 'token\n']))).toBe('a token\n')
})

const RED = '\x1b[31mfailed\x1b[39m'

describe('colours', () => {
  const cases = [
    ['on a terminal', { isTTY: true }, { TERM: 'xterm' }, RED],
    ['in no other output', {}, { TERM: 'xterm' }, 'failed'],
    ['not in the log of a build', {}, { CI: 'true' }, 'failed'],
    ['not on a terminal without colours', { isTTY: true }, { TERM: 'dumb' }, 'failed'],
    ['not with NO_COLOR', { isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'failed'],
    ['in any output with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, RED],
  ] as const
  it.each(cases)('are shown %s', (_title, output, environment, shown) =>
    expect(colorsFor(output, environment).red('failed')).toBe(shown),
  )
})
