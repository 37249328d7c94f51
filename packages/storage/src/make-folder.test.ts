import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from './durable-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire folder '))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a folder that is made', () => {
  it('is its owner’s alone, with those around it that were missing', () => {
    expect(makeFolder(join(folder, 'a', 'b', 'c'))).toEqual([folder, join(folder, 'a'), join(folder, 'a', 'b')])
    for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700)
    expect(makeFolder(join(folder, 'a', 'b', 'c'))).toEqual([])
  })

  it('belongs to the owner of the folder around it', () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    chownSync(folder, user, group)
    makeFolder(join(folder, 'a', 'b'))
    for (const made of ['a', 'a/b'])
      expect([statSync(join(folder, made)).uid, statSync(join(folder, made)).gid]).toEqual([user, group])
  })

  it('is refused at once where none can be made', () => {
    expect(() => makeFolder('/proc/slotwire/state')).toThrow(/ENOENT/)
  })
})
