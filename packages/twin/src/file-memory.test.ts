import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileMemory } from './file-memory.ts'
import { runMemoryProgram, unprivileged } from './memory-program.testkit.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire memory '))
  path = join(folder, 'slot-0.json')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('memory in a file', () => {
  it('is empty without a file', () => {
    expect(new FileMemory(path).load()).toEqual({ state: 'empty' })
  })

  it('gives back what was saved, to a later process too, as text for people', () => {
    new FileMemory(path).save({ watchdogTimeoutMs: 1000, name: 'Ärger' })
    new FileMemory(path).save({ watchdogTimeoutMs: 2000, name: 'Ärger' })
    expect(new FileMemory(path).load()).toEqual({ state: 'ok', document: { watchdogTimeoutMs: 2000, name: 'Ärger' } })
    expect(readFileSync(path, 'utf8')).toBe('{\n  "watchdogTimeoutMs": 2000,\n  "name": "Ärger"\n}\n')
    expect(readdirSync(folder)).toEqual(['slot-0.json'])
  })

  it('makes the folder that is missing', () => {
    const deep = new FileMemory(join(folder, 'a', 'b', 'slot.json'))
    deep.save({ a: 1 })
    expect(deep.load()).toEqual({ state: 'ok', document: { a: 1 } })
  })

  it.each(['', '{', '{"a":1', 'null', '[]', '"text"', '7', '\0\0\0'])('is corrupt when the file holds %j', (text) => {
    writeFileSync(path, text)
    expect(new FileMemory(path).load()).toMatchObject({ state: 'corrupt' })
  })

  it('is corrupt when the file cannot be read', () => {
    mkdirSync(path)
    expect(new FileMemory(path).load()).toMatchObject({ state: 'corrupt', reason: expect.stringContaining('EISDIR') as string })
  })

  it('is empty again when it was cleared, also after corruption, and twice', () => {
    writeFileSync(path, '{')
    const memory = new FileMemory(path)
    memory.clear()
    memory.clear()
    expect(memory.load()).toEqual({ state: 'empty' })
    expect(readdirSync(folder)).toEqual([])
    new FileMemory(join(folder, 'nowhere', 'slot.json')).clear()
  })

  it('ignores and replaces what a killed process left half-written', () => {
    const memory = new FileMemory(path)
    memory.save({ a: 1 })
    writeFileSync(`${path}.next`, '{"a":')
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 1 } })
    memory.save({ a: 2 })
    expect(readdirSync(folder)).toEqual(['slot-0.json'])
  })
})

describe('memory in a file that cannot be written', () => {
  it('throws and changes nothing when the disk is full', () => {
    const memory = new FileMemory(path)
    memory.save({ a: 1 })
    symlinkSync('/dev/full', `${path}.next`)
    expect(() => memory.save({ a: 2 })).toThrow('ENOSPC')
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 1 } })
    memory.save({ a: 3 })
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 3 } })
  })

  it('throws and changes nothing when only a part of the document fits', async () => {
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

  it('throws and changes nothing when it may not write', async () => {
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

  it('throws when the folder is none', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => new FileMemory(join(folder, 'file', 'slot.json')).save({ a: 1 })).toThrow()
  })

  it('throws and changes nothing when the document is no JSON', () => {
    const memory = new FileMemory(path)
    memory.save({ a: 1 })
    expect(() => memory.save({ a: 1n })).toThrow(TypeError)
    expect(memory.load()).toEqual({ state: 'ok', document: { a: 1 } })
  })
})
