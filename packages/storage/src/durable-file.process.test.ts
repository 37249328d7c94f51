import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { DurableFile } from './durable-file.ts'

/** The user who runs the tests; root can give folders to a user who owns nothing. */
const [USER, GROUP] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]

let folder: string

beforeEach(() => (folder = temporaryFolder()))

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('a durable file', () => {
  it('is readable by its owner only, by default', () => {
    new DurableFile(join(folder, 'key')).write('secret')
    new DurableFile(join(folder, 'ca.pem'), { mode: 0o644 }).write('public')
    expect([modeOf(join(folder, 'key')), modeOf(join(folder, 'ca.pem'))]).toEqual([0o600, 0o644])
  })

  it('is replaced as a whole, as bytes or text, and leaves no other file', () => {
    const file = new DurableFile(join(folder, 'a'))
    file.write('a longer text')
    file.write(Uint8Array.of(1, 2))
    expect([...readFileSync(file.path)]).toEqual([1, 2])
    expect(readdirSync(folder)).toEqual(['a'])
    file.remove()
    file.remove()
    expect(readdirSync(folder)).toEqual([])
  })

  it('belongs to the owner of its folder if root writes it', () => {
    chownSync(folder, USER, GROUP)
    const file = new DurableFile(join(folder, 'a'))
    file.write('1')
    file.write('2')
    expect([statSync(file.path).uid, statSync(file.path).gid]).toEqual([USER, GROUP])
  })

  it('follows no links in another user’s folder if root writes it; a user’s own links are followed', () => {
    const [theirs, precious] = [join(folder, 'theirs'), join(folder, 'precious')]
    mkdirSync(theirs)
    chownSync(theirs, USER, GROUP)
    writeFileSync(precious, 'precious')
    symlinkSync(precious, join(theirs, 'a.next'))
    new DurableFile(join(theirs, 'a')).write('1')
    expect(readFileSync(join(theirs, 'a'), 'utf8')).toBe('1')
    const isOwn = USER === process.getuid?.()
    expect(readFileSync(precious, 'utf8')).toBe(isOwn ? '1' : 'precious')
    expect(statSync(precious).uid).toBe(process.getuid?.())
  })

  it('replaces the file that a link leads to, not the link', () => {
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'elsewhere', 'b'), 'old')
    symlinkSync(join('elsewhere', 'b'), join(folder, 'a'))
    new DurableFile(join(folder, 'a')).write('new')
    expect([readlinkSync(join(folder, 'a')), readFileSync(join(folder, 'elsewhere', 'b'), 'utf8')]).toEqual([
      'elsewhere/b',
      'new',
    ])
    expect([readdirSync(folder), readdirSync(join(folder, 'elsewhere'))]).toEqual([['a', 'elsewhere'], ['b']])
  })

  it('does not wait for a pipe in its place', () => {
    execFileSync('mkfifo', [join(folder, 'a')])
    expect(() => new DurableFile(join(folder, 'a')).read()).toThrow('a is not a file: move away what has its place')
  })

  it('replaces a link to what is no file, such as a device, and leaves that alone', () => {
    execFileSync('mkfifo', [join(folder, 'device')])
    symlinkSync('device', join(folder, 'a'))
    new DurableFile(join(folder, 'a')).write('new')
    expect([readFileSync(join(folder, 'a'), 'utf8'), statSync(join(folder, 'device')).isFIFO()]).toEqual(['new', true])
  })

  it('gives the folders that root creates for it to the owner of the surrounding one', () => {
    mkdirSync(join(folder, 'state'))
    chownSync(join(folder, 'state'), USER, GROUP)
    const file = new DurableFile(join(folder, 'state', 'tls', 'deep', 'key'))
    file.write('1')
    for (const path of [file.path, join(folder, 'state', 'tls', 'deep'), join(folder, 'state', 'tls')]) {
      expect([statSync(path).uid, statSync(path).gid]).toEqual([USER, GROUP])
    }
  })

  it('leaves files alone that another writer is writing, and removes leftovers of a killed one', () => {
    const ended = spawnSync(process.execPath, ['--version']).pid
    const others = [`a.${process.ppid}.next`, `a.${ended}.next`, 'a.0.next', 'a.next', 'ab.1.next']
    for (const name of others) writeFileSync(join(folder, name), 'half')
    const file = new DurableFile(join(folder, 'a'), { writers: 'several' })
    file.write('whole')
    expect(readFileSync(file.path, 'utf8')).toBe('whole')
    expect(readdirSync(folder).sort()).toEqual(['a', 'a.0.next', `a.${process.ppid}.next`, 'a.next', 'ab.1.next'])
    file.remove()
    expect(readdirSync(folder)).not.toContain('a')
    new DurableFile(join(folder, 'missing', 'a'), { writers: 'several' }).remove()
  })
})
