import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { identityOf, lockHolder, tryLock } from './file-lock.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'a.lock')
})

function taken() {
  const attempt = tryLock(path)
  if (!('lock' in attempt)) throw new Error(`process ${attempt.holder} has the lock`)
  return attempt.lock
}

describe('a lock', () => {
  it('belongs to one process until it is released', () => {
    expect(lockHolder(path)).toBeUndefined()
    const lock = taken()
    expect(lockHolder(path)).toBe(process.pid)
    expect(tryLock(path)).toEqual({ holder: process.pid })
    lock.release()
    expect(lockHolder(path)).toBeUndefined()
    taken()
    expect(fs.readdirSync(folder)).toEqual(['a.lock'])
  })

  it('has no holder after its process has ended, and can be taken', () => {
    fs.writeFileSync(path, JSON.stringify({ ...identityOf(process.pid), started: '1' }))
    expect(lockHolder(path)).toBeUndefined()
    taken()
    expect(lockHolder(path)).toBe(process.pid)
  })

  it('can be taken if a file that is too large has its place', () => {
    fs.writeFileSync(path, '')
    fs.truncateSync(path, 3e9)
    expect(lockHolder(path)).toBeUndefined()
    taken()
    expect(lockHolder(path)).toBe(process.pid)
  })

  it('belongs to the owner of the folder if root takes it', () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    fs.chownSync(folder, user, group)
    taken()
    const { uid, gid, mode } = fs.statSync(path)
    expect([uid, gid, mode & 0o777]).toEqual([user, group, 0o644])
  })

  it('is never written through a link at the place of its file', () => {
    const target = join(folder, 'precious')
    fs.writeFileSync(target, 'precious')
    fs.symlinkSync(target, `${path}.${process.pid}`)
    taken()
    expect(fs.readFileSync(target, 'utf8')).toBe('precious')
    expect(fs.existsSync(path)).toBe(true)
  })
})
