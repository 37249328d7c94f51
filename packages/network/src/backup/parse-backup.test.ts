import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { OperatorError } from '../operator-error.ts'
import { MADE } from './backup.testkit.ts'
import { type Backup, formatBackup, parseBackup } from './backup.ts'

const BACKUP: Backup = {
  made: MADE,
  slotwire: '0.1.0',
  files: { 'settings.yaml': 'vendor: é\n' },
}

/** A document with other values and a valid checksum. */
function document(values: object): string {
  const { sha256: _, ...rest } = { ...(JSON.parse(formatBackup(BACKUP)) as Record<string, unknown>), ...values }
  return JSON.stringify({ ...rest, sha256: createHash('sha256').update(JSON.stringify(rest)).digest('hex') })
}

const withFile = (path: string, lines: unknown) => document({ files: { [path]: lines } })

describe('formatBackup and parseBackup', () => {
  it('write and read one JSON document', () =>
    expect(formatBackup(BACKUP)).toBe(`{
  "format": "slotwire-backup",
  "version": 1,
  "made": "2026-11-21T12:00:00.000Z",
  "slotwire": "0.1.0",
  "files": {
    "settings.yaml": [
      "vendor: é",
      ""
    ]
  },
  "sha256": "${createHash('sha256')
    .update(
      '{"format":"slotwire-backup","version":1,"made":"2026-11-21T12:00:00.000Z","slotwire":"0.1.0","files":{"settings.yaml":["vendor: é",""]}}',
    )
    .digest('hex')}"
}
`))

  it('accept another JSON layout', () => expect(parseBackup(JSON.stringify(JSON.parse(formatBackup(BACKUP))))).toEqual(BACKUP))

  it('keep any text of any file', () => {
    const path = fc.nat({ max: 7 }).map((slot) => `twin/slot-${slot}.json`)
    fc.assert(
      fc.property(fc.dictionary(path, fc.string({ unit: anyCharacter }), { noNullPrototype: true }), (files) => {
        expect(parseBackup(formatBackup({ ...BACKUP, files })).files).toEqual(files)
      }),
    )
  })
})

describe('parseBackup of an unusable backup', () => {
  it.each<readonly [text: string, message: string]>([
    ['', 'is not JSON'],
    [formatBackup(BACKUP).slice(0, -9), 'is not JSON'],
    ['[]', 'this is not a Slotwire backup'],
    ['{}', 'this is not a Slotwire backup'],
    [document({ format: 'tar' }), 'this is not a Slotwire backup'],
    [document({ version: 2 }), 'the backup has version "2", and 1 is understood: use the Slotwire that made it, or a newer one'],
    [formatBackup(BACKUP).replace('vendor', 'Vendor'), 'the backup is damaged: its checksum does not match'],
    [document({ made: 'today' }), 'damaged'],
    [document({ extra: 1 }), 'damaged'],
    [document({ files: [] }), 'damaged'],
    ...[null, 1, 'a', [1], [], ['a\nb'], [['a']], {}].map((lines) => [withFile('settings.yaml', lines), 'damaged'] as const),
  ])('is rejected: %#', (text, message) => {
    expect(() => parseBackup(text)).toThrow(OperatorError)
    expect(() => parseBackup(text)).toThrow(message)
  })

  it.each([
    '../settings.yaml',
    '/etc/passwd',
    './settings.yaml',
    'twin/../settings.yaml',
    'twin/slot-0.json/../../x',
    'twin\\slot-0.json',
    'twin/slot-N.json',
    'twin/slot-8.json',
    'twin/slot-00.json',
    'tls/other.pem',
    'lock',
    'audit/changes.jsonl',
    'restore.next/plan.json',
    'settings.last-good.yaml',
    'SETTINGS.YAML',
    'settings.yaml\0',
    '',
    'constructor',
    '__proto__',
  ])('rejects a file %j', (path) =>
    expect(() => parseBackup(withFile(path, ['']))).toThrow('which is not a state file: do not use it'),
  )

  it('throws nothing but an OperatorError for any text', () => {
    const flipped = fc.tuple(fc.nat(), fc.string({ unit: anyCharacter, maxLength: 3 })).map(([place, text]) => {
      const whole = formatBackup(BACKUP)
      const at = place % whole.length
      return whole.slice(0, at) + text + whole.slice(at + 1)
    })
    const files = fc.json().map((text) => document({ files: JSON.parse(text) as unknown }))
    fc.assert(
      fc.property(fc.oneof(flipped, fc.json(), files), (text) => {
        try {
          // A space between two parts changes nothing; an empty backup is valid too.
          expect([BACKUP.files, {}]).toContainEqual(parseBackup(text).files)
        } catch (error) {
          if (!(error instanceof OperatorError)) throw error
        }
      }),
      { numRuns: cases(150) },
    )
  })
})
