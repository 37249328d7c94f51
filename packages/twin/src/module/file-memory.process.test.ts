import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { FileMemory } from './memory.ts'
import { onFileSync, onFolderSync, runMemoryProgram, unprivileged } from './memory-program.testkit.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'slot-0.json')
})

describe('FileMemory', () => {
  it('is empty without a file', () => expect(new FileMemory(path).load()).toEqual({ state: 'empty' }))

  it('returns the saved document, also in a later process, and stores readable text', () => {
    new FileMemory(path).save({ watchdogTimeoutMs: 1000, name: 'Ärger' })
    new FileMemory(path).save({ watchdogTimeoutMs: 2000, name: 'Ärger' })
    expect(new FileMemory(path).load()).toEqual({ state: 'ok', document: { watchdogTimeoutMs: 2000, name: 'Ärger' } })
    expect(readFileSync(path, 'utf8')).toBe('{\n  "watchdogTimeoutMs": 2000,\n  "name": "Ärger"\n}\n')
    expect(readdirSync(folder)).toEqual(['slot-0.json'])
  })

  it('creates missing folders', () => {
    const deep = new FileMemory(join(folder, 'a', 'b', 'slot.json'))
    deep.save({ a: 1 })
    expect(deep.load()).toEqual({ state: 'ok', document: { a: 1 } })
  })

  it('restricts access to its owner: folders 0700, the file 0600', () => {
    const deep = join(folder, 'a', 'b', 'slot.json')
    new FileMemory(deep).save({ a: 1 })
    const modeOf = (name: string): number => statSync(name).mode & 0o777
    expect([modeOf(join(folder, 'a')), modeOf(join(folder, 'a', 'b')), modeOf(deep)]).toEqual([0o700, 0o700, 0o600])
  })

  it('syncs the new document to disk before it replaces the old one', async () => {
    new FileMemory(path).save({ a: 1 })
    const seen = await runMemoryProgram(folder, {
      source: `${onFileSync(`console.log(
          [${JSON.stringify(path)} + '.next', ${JSON.stringify(path)}].map((name) => JSON.parse(fs.readFileSync(name, 'utf8')).a).join(),
        )`)}
        new FileMemory(${JSON.stringify(path)}).save({ a: 2 })`,
    })
    expect(seen.trim()).toBe('2,1')
    expect(new FileMemory(path).load()).toEqual({ state: 'ok', document: { a: 2 } })
  })

  it('syncs new folders and their parent to disk', async () => {
    const deep = join(folder, 'a', 'b', 'slot.json')
    const synced = await runMemoryProgram(folder, {
      source: `${onFolderSync('console.log(inode)')}
        const memory = new FileMemory(${JSON.stringify(deep)})
        memory.save({ a: 1 })
        console.log('again')
        memory.save({ a: 2 })`,
    })
    const inodes = ['a/b', 'a', '.'].map((name) => `${statSync(join(folder, name)).ino}`)
    const [first, second] = synced.split('again').map((text) => text.trim().split('\n'))
    expect(first?.toSorted()).toEqual(inodes.toSorted())
    expect(second).toEqual([inodes[0]])
  })

  it.each(['', '{', '{"a":1', 'null', '[]', '"text"', '7', '\0\0\0'])('is corrupt when the file holds %j', (text) => {
    writeFileSync(path, text)
    expect(new FileMemory(path).load()).toMatchObject({ state: 'corrupt' })
  })

  it('is unreadable, not corrupt, when the file cannot be read', () => {
    mkdirSync(path)
    expect(new FileMemory(path).load()).toMatchObject({
      state: 'unreadable',
      reason: expect.stringContaining('EISDIR') as string,
    })
  })

  it('is empty again after clear, also after corruption, and after a second clear', () => {
    writeFileSync(path, '{')
    const memory = new FileMemory(path)
    memory.clear()
    memory.clear()
    expect(memory.load()).toEqual({ state: 'empty' })
    expect(readdirSync(folder)).toEqual([])
    new FileMemory(join(folder, 'nowhere', 'slot.json')).clear()
  })

  it('ignores and replaces the partial file of a killed process', () => {
    const memory = new FileMemory(path)
    memory.save({ a: 1 })
    writeFileSync(`${path}.next`, '{"a":')
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 1 } })
    memory.save({ a: 2 })
    expect(readdirSync(folder)).toEqual(['slot-0.json'])
  })
})

describe('FileMemory, if the file cannot be written', () => {
  it('throws and changes nothing if the disk is full', () => {
    const memory = new FileMemory(path)
    memory.save({ a: 1 })
    symlinkSync('/dev/full', `${path}.next`)
    expect(() => memory.save({ a: 2 })).toThrow('ENOSPC')
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 1 } })
    memory.save({ a: 3 })
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 3 } })
  })

  it('throws and changes nothing if only a part of the document fits', async () => {
    new FileMemory(path).save({ a: 1 })
    const answer = await runMemoryProgram(folder, {
      source: `process.on('SIGXFSZ', () => undefined)
        try { new FileMemory(${JSON.stringify(path)}).save({ long: 'x'.repeat(100_000) }); console.log('saved') } catch (error) { console.log(error.code) }`,
      fileSizeLimitKiB: 8,
    })
    expect(answer.trim()).toBe('EFBIG')
    expect(new FileMemory(path).load()).toEqual({ state: 'ok', document: { a: 1 } })
    expect(existsSync(`${path}.next`)).toBe(false)
  })

  it('throws and changes nothing without write permission', async () => {
    mkdirSync(join(folder, 'closed'), { mode: 0o755 })
    const closed = join(folder, 'closed', 'slot.json')
    new FileMemory(closed).save({ a: 1 })
    const answer = await runMemoryProgram(folder, {
      source: `try { new FileMemory(${JSON.stringify(closed)}).save({ a: 2 }); console.log('saved') } catch (error) { console.log(error.code) }`,
      ...unprivileged(join(folder, 'closed')),
    })
    expect(answer.trim()).toBe('EACCES')
    expect(new FileMemory(closed).load()).toEqual({ state: 'ok', document: { a: 1 } })
  })

  it('throws if the folder cannot be synchronized, with the complete new document in place', async () => {
    new FileMemory(path).save({ a: 1 })
    const answer = await runMemoryProgram(folder, {
      source: `${onFolderSync("throw Object.assign(new Error('no'), { code: 'EIO' })")}
        try { new FileMemory(${JSON.stringify(path)}).save({ a: 2 }); console.log('saved') } catch (error) { console.log(error.code) }`,
    })
    expect(answer.trim()).toBe('EIO')
    expect(new FileMemory(path).load()).toEqual({ state: 'ok', document: { a: 2 } })
  })

  it('retries to synchronize a new folder that is not on disk yet', async () => {
    const deep = join(folder, 'a', 'slot.json')
    const answer = await runMemoryProgram(folder, {
      source: `let failures = 1
        ${onFolderSync("console.log(inode); if (failures-- > 0) throw new Error('no')")}
        const memory = new FileMemory(${JSON.stringify(deep)})
        try { memory.save({ a: 1 }) } catch (error) { console.log(error.message) }
        memory.save({ a: 2 })`,
    })
    const [outer, inner] = [statSync(folder).ino, statSync(join(folder, 'a')).ino]
    expect(answer.trim().split('\n')).toEqual([`${outer}`, 'no', `${outer}`, `${inner}`])
  })

  it('throws if the path of the folder is a file', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => new FileMemory(join(folder, 'file', 'slot.json')).save({ a: 1 })).toThrow()
  })

  it('throws and changes nothing if the document cannot be written as JSON', () => {
    const memory = new FileMemory(path)
    memory.save({ a: 1 })
    expect(() => memory.save({ a: 1n })).toThrow(TypeError)
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 1 } })
  })
})
