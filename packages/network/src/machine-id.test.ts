import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { machineId } from './machine-id.ts'
import { OperatorError } from './operator-error.ts'

let folder: string
const path = () => join(folder, 'machine-id')
const idNow = (seed = 1) => machineId({ folder, random: seededRandom(seed) })

beforeEach(() => (folder = temporaryFolder()))

describe('machineId', () => {
  it('returns 32 lower-case hexadecimal digits', () => expect(idNow()).toMatch(/^[0-9a-f]{32}$/))

  it('creates the id once and keeps it', () => expect(idNow(2)).toBe(idNow(1)))

  it('differs between devices in every digit', () => {
    const digits = Array.from({ length: 32 }, () => new Set<string>())
    for (let seed = 0; seed < 100; seed++) {
      for (const [index, digit] of Array.from(idNow(seed)).entries()) digits[index]?.add(digit)
      rmSync(path())
    }
    expect(digits.every((seen) => seen.size > 8)).toBe(true)
  })

  it('writes a file of one line that all users may read', () => {
    expect(`${idNow()}\n`).toBe(readFileSync(path(), 'utf8'))
    expect(statSync(path()).mode & 0o777).toBe(0o644)
  })

  it.each([
    '',
    '0123456789abcdef0123456789abcde',
    '0123456789ABCDEF0123456789ABCDEF\n',
    '0123456789abcdef0123456789abcdef\n\n',
    '0123456789abcdef0123456789abcdefa',
    '\0'.repeat(32),
  ])('throws for the damaged file %j and keeps it', (text) => {
    writeFileSync(path(), text)
    expect(() => idNow()).toThrow(OperatorError)
    expect(() => idNow()).toThrow(/is damaged: .* restore a backup that was made with --identity/)
    expect(readFileSync(path(), 'utf8')).toBe(text)
  })

  it('accepts a file without a line end', () => {
    writeFileSync(path(), '0123456789abcdef0123456789abcdef')
    expect(idNow()).toBe('0123456789abcdef0123456789abcdef')
  })

  it('throws for a file that cannot be read', () => {
    mkdirSync(path())
    expect(() => idNow()).toThrow(OperatorError)
  })
})
