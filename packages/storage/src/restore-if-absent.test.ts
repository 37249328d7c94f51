import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { restoreIfAbsent } from './restore-if-absent.ts'

let folder: string
let aside: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire back '))
  aside = join(folder, 'a.lock.7.stale')
  path = join(folder, 'a.lock')
  writeFileSync(aside, 'moved')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

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
