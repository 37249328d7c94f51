import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DurableFile } from './durable-file.ts'

/** A user who owns nothing. */
const NOBODY = 65_534

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire storage '))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('a durable file', () => {
  it('is its owner’s alone, unless it is told otherwise', () => {
    new DurableFile(join(folder, 'key')).write('secret')
    new DurableFile(join(folder, 'ca.pem'), { mode: 0o644 }).write('public')
    expect([modeOf(join(folder, 'key')), modeOf(join(folder, 'ca.pem'))]).toEqual([0o600, 0o644])
  })

  it('is replaced as a whole, bytes or text, and leaves nothing beside it', () => {
    const file = new DurableFile(join(folder, 'a'))
    file.write('a longer text')
    file.write(Uint8Array.of(1, 2))
    expect([...readFileSync(file.path)]).toEqual([1, 2])
    expect(readdirSync(folder)).toEqual(['a'])
    file.remove()
    file.remove()
    expect(readdirSync(folder)).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('that root writes belongs to the owner of its folder', () => {
    chownSync(folder, NOBODY, NOBODY)
    const file = new DurableFile(join(folder, 'a'))
    file.write('1')
    file.write('2')
    expect([statSync(file.path).uid, statSync(file.path).gid]).toEqual([NOBODY, NOBODY])
  })
})
