import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { writeServiceFile } from './avahi.ts'

let folder: string
beforeEach(() => (folder = temporaryFolder()))

describe('writeServiceFile', () => {
  it('makes the file readable for avahi despite a strict umask', () => {
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

  it('leaves a file with the same text alone, because avahi would announce the service again', () => {
    const path = join(folder, 'a.service')
    writeServiceFile(path, 'one')
    const { ino } = statSync(path)
    writeServiceFile(path, 'one')
    expect(statSync(path).ino).toBe(ino)
    writeServiceFile(path, 'two')
    expect(statSync(path).ino).not.toBe(ino)
  })

  it('gives each change another second, because avahi ignores a change in the same second', () => {
    const path = join(folder, 'a.service')
    const seconds = ['one', 'two', 'three'].map((text) => {
      writeServiceFile(path, text)
      return Math.floor(statSync(path).mtimeMs / 1000)
    })
    expect(new Set(seconds).size).toBe(3)
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b))
  })

  it('removes its temporary file if it cannot replace the target', () => {
    mkdirSync(join(folder, 'a.service', 'in the way'), { recursive: true })
    expect(() => writeServiceFile(join(folder, 'a.service'), 'one')).toThrow()
    expect(readdirSync(folder)).toEqual(['a.service'])
  })
})
