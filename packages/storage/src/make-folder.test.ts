import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { makeFolder } from './durable-file.ts'
import { restoreIfAbsent } from './file-lock.ts'

let folder: string
beforeEach(() => (folder = temporaryFolder()))

describe('makeFolder', () => {
  it('creates a folder and missing parents for their owner only', () => {
    expect(makeFolder(join(folder, 'a', 'b', 'c'))).toEqual([folder, join(folder, 'a'), join(folder, 'a', 'b')])
    for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700)
    expect(makeFolder(join(folder, 'a', 'b', 'c'))).toEqual([])
  })

  it('gives the folder to the owner of the surrounding one', () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    chownSync(folder, user, group)
    makeFolder(join(folder, 'a', 'b'))
    for (const made of ['a', 'a/b'])
      expect([statSync(join(folder, made)).uid, statSync(join(folder, made)).gid]).toEqual([user, group])
  })

  it('fails at once if the folder cannot be created', () => expect(() => makeFolder('/proc/slotwire/state')).toThrow(/ENOENT/))
})

let aside: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  aside = join(folder, 'a.lock.7.stale')
  path = join(folder, 'a.lock')
  writeFileSync(aside, 'moved')
})

it('moves a file back to its place', () => {
  restoreIfAbsent(aside, path)
  expect(readFileSync(path, 'utf8')).toBe('moved')
})

it('keeps the file of a third process that was faster', () => {
  writeFileSync(path, 'third')
  restoreIfAbsent(aside, path)
  expect(readFileSync(path, 'utf8')).toBe('third')
})

it('fails if the file is missing', () => {
  rmSync(aside)
  expect(() => restoreIfAbsent(aside, path)).toThrow('ENOENT')
})
