import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeServiceFile } from './write-service-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire avahi '))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a file for avahi', () => {
  it('can be read by avahi, also where this process keeps its files to itself', () => {
    const umask = process.umask(0o077)
    try {
      writeServiceFile(join(folder, 'a.service'), 'one')
      writeServiceFile(join(folder, 'a.service'), 'two')
    } finally {
      process.umask(umask)
    }
    expect(readFileSync(join(folder, 'a.service'), 'utf8')).toBe('two')
    expect(statSync(join(folder, 'a.service')).mode & 0o777).toBe(0o644)
    expect(readdirSync(folder)).toEqual(['a.service'])
  })

  it('is left alone when it says the same: avahi would take the service back and tell of it anew', () => {
    const path = join(folder, 'a.service')
    writeServiceFile(path, 'one')
    const { ino } = statSync(path)
    writeServiceFile(path, 'one')
    expect(statSync(path).ino).toBe(ino)
    writeServiceFile(path, 'two')
    expect(statSync(path).ino).not.toBe(ino)
  })

  it('has a date of another second with every change: avahi takes one of the same second for no change', () => {
    const path = join(folder, 'a.service')
    const seconds = ['one', 'two', 'three'].map((text) => {
      writeServiceFile(path, text)
      return Math.floor(statSync(path).mtimeMs / 1000)
    })
    expect(new Set(seconds).size).toBe(3)
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b))
  })

  it('leaves nothing behind when it cannot be put in place', () => {
    mkdirSync(join(folder, 'a.service', 'in the way'), { recursive: true })
    expect(() => writeServiceFile(join(folder, 'a.service'), 'one')).toThrow()
    expect(readdirSync(folder)).toEqual(['a.service'])
  })
})
