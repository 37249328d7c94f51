import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import type { AuditEntry } from './audit-log.ts'
import { FileAuditLog } from './audit-log.ts'

const { audit: AUDIT } = await bundleSources({ audit: 'packages/network/src/audit/audit-log.ts' })
const MIB = 1_048_576

function auditLog(folder = temporaryFolder()) {
  const log = new RecordingLog()
  const audit = new FileAuditLog({ folder, wallTime: () => 1_795_262_400_000, log })
  const path = join(folder, 'audit', 'writes.jsonl')
  const count = () => audit.metrics().map(({ name, samples }) => [name, samples[0]?.value])
  return { folder, log, audit, path, count, lines: () => linesOf(path) }
}

const linesOf = (path: string): AuditEntry[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEntry)

const entry = (number: number, padding = ''): AuditEntry => ({
  who: 'a',
  action: 'write',
  what: { number, padding },
  result: 200,
})

/** Adds `count` entries to the log in a separate process; resolves with its output. */
async function adding(folder: string, options: { count: number; name?: string; padding?: number; fileLimitKiB?: number }) {
  const { count, name = 'a', padding = 0, fileLimitKiB } = options
  const program = `
    const { FileAuditLog } = await import(${JSON.stringify(AUDIT)})
    const say = (fields) => process.stdout.write(JSON.stringify({ ...fields, err: String(fields.err) }) + '\\n')
    const log = { debug: say, info: say, warn: say, error: say }
    const audit = new FileAuditLog({ folder: ${JSON.stringify(folder)}, wallTime: () => 0, log })
    for (let number = 0; number < ${count}; number++)
      audit.add({ who: ${JSON.stringify(name)}, action: 'write', what: { number, padding: 'x'.repeat(${padding}) }, result: 200 })`
  const limit = fileLimitKiB === undefined ? '' : `ulimit -f ${fileLimitKiB * 2}; `
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" --input-type=module -e "$1"`, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(0)
  return Buffer.concat(chunks).toString()
}

describe('the audit log', () => {
  it('adds a line to a file that only its owner can read', () => {
    const { audit, path, lines, count } = auditLog()
    audit.add(entry(1))
    audit.add(entry(2))
    expect(lines().map(({ what }) => what['number'])).toEqual([1, 2])
    expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect(count()).toEqual([
      ['slotwire_audit_entries_total', 2],
      ['slotwire_audit_failures_total', 0],
    ])
  })

  it('appends to its file after a restart, on a new line if the last one is incomplete', () => {
    const { folder, audit, path } = auditLog()
    audit.add(entry(1))
    appendFileSync(path, '{"time":"2026')
    auditLog(folder).audit.add(entry(2))
    expect(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.slice(0, 13)),
    ).toEqual(['{"time":"2026', '{"time":"2026', '{"time":"2026', ''])
    expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[2] ?? '')).toMatchObject({ what: { number: 2 } })
  })

  it('creates its file again if it was moved or removed', () => {
    const { audit, path, lines, folder } = auditLog()
    audit.add(entry(1))
    const moved = new FileAuditLog({ folder: join(folder, 'not', 'yet'), wallTime: () => 0, log: new RecordingLog() })
    moved.add(entry(2))
    expect(lines()).toHaveLength(1)
    expect(linesOf(join(folder, 'not', 'yet', 'audit', 'writes.jsonl'))).toHaveLength(1)
    writeFileSync(path, '')
    audit.add(entry(3))
    expect(lines().map(({ what }) => what['number'])).toEqual([3])
  })

  it('belongs to the owner of the folder when root writes it', () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    const { folder, audit, path } = auditLog()
    chownSync(folder, user, group)
    audit.add(entry(1))
    for (const one of [path, join(path, '..')]) expect([statSync(one).uid, statSync(one).gid]).toEqual([user, group])
  })

  it('never follows a link', () => {
    const { folder, audit, log, path } = auditLog()
    const precious = join(folder, 'precious')
    writeFileSync(precious, 'precious')
    mkdirSync(join(folder, 'audit'))
    symlinkSync(precious, path)
    audit.add(entry(1))
    expect(readFileSync(precious, 'utf8')).toBe('precious')
    expect(log.linesOf('error')).toHaveLength(1)
  })
})

describe('rotation', () => {
  it('keeps the newest entries in eight files of 1 MiB', () => {
    const { audit, folder, count } = auditLog()
    const padding = 'x'.repeat(256)
    const perFile = Math.floor(MIB / 378)
    const total = perFile * 9
    for (let number = 0; number < total; number++) audit.add(entry(number, padding))
    const names = [
      ...'writes.7.jsonl writes.6.jsonl writes.5.jsonl writes.4.jsonl writes.3.jsonl writes.2.jsonl'.split(' '),
      ...'writes.1.jsonl writes.jsonl'.split(' '),
    ]
    expect(readdirSync(join(folder, 'audit')).sort()).toEqual([...names].sort())
    const paths = names.map((name) => join(folder, 'audit', name))
    for (const path of paths) expect(statSync(path).size).toBeLessThanOrEqual(MIB)
    const numbers = paths.flatMap(linesOf).map(({ what }) => what['number'] as number)
    expect(numbers.at(-1)).toBe(total - 1)
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => total - numbers.length + index))
    expect(numbers.length).toBeGreaterThan(perFile * 7)
    expect(count().map(([, value]) => value)).toEqual([total, 0])
  })

  it('fills the gap that a killed process left, and loses no file', () => {
    const { audit, folder, path } = auditLog()
    mkdirSync(join(folder, 'audit'))
    for (const index of [1, 2, 4, 7]) writeFileSync(join(folder, 'audit', `writes.${index}.jsonl`), `{"was":${index}}\n`)
    writeFileSync(path, 'x'.repeat(MIB))
    audit.add(entry(1))
    const first = (index: number): string => readFileSync(join(folder, 'audit', `writes.${index}.jsonl`), 'utf8').slice(0, 9)
    expect([1, 2, 3, 4, 7].map(first)).toEqual(['xxxxxxxxx', '{"was":1}', '{"was":2}', '{"was":4}', '{"was":7}'])
  })

  it('happens once when several processes find the file full, and loses no line', async () => {
    const folder = temporaryFolder()
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map((name) => adding(folder, { name, count: 4000, padding: 200 })))
    const files = readdirSync(join(folder, 'audit'))
    const bytes = files.map((name) => statSync(join(folder, 'audit', name)).size).reduce((sum, size) => sum + size, 0)
    // If two processes rotated at once, one file would be nearly empty.
    expect(files).toHaveLength(Math.ceil(bytes / MIB))
    expect(bytes).toBeGreaterThan(3 * MIB)
    const lines = files.flatMap((name) => linesOf(join(folder, 'audit', name)))
    for (const name of names) {
      const numbers = lines.filter(({ who }) => who === name).map(({ what }) => what['number'] as number)
      expect(numbers.sort((left, right) => left - right)).toEqual(Array.from({ length: 4000 }, (_, index) => index))
    }
  })
})

describe('a full disk', () => {
  it('causes an error in the log with the entry, and no exception', async () => {
    const folder = temporaryFolder()
    const said = await adding(folder, { count: 20, padding: 200, fileLimitKiB: 2 })
    const errors = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { err: string; entry: string })
    expect(errors.length).toBeGreaterThan(5)
    expect(errors[0]?.err).toMatch(/^Error: the disk is full: \d+ of \d+ bytes were written$/)
    expect(errors[1]?.err).toMatch(/EFBIG/)
    expect(JSON.parse(errors.at(-1)?.entry ?? '')).toMatchObject({ what: { number: 19 } })
    // There is room again: the half line stays on its own line.
    auditLog(folder).audit.add(entry(20))
    const lines = readFileSync(join(folder, 'audit', 'writes.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ what: { number: 20 } })
    expect(() => JSON.parse(lines.at(-2) ?? '') as unknown).toThrow(SyntaxError)
  })

  it('counts as a failure', () => {
    const { folder, audit, log, count } = auditLog()
    writeFileSync(join(folder, 'audit'), '')
    expect(audit.warnings).toEqual([])
    audit.add(entry(1))
    expect(count().map(([, value]) => value)).toEqual([0, 1])
    expect(audit.warnings).toEqual(['audit log: 1 not written since the start; each is in the log of the service'])
    expect(log.linesOf('error').map(({ message }) => message)).toEqual(['an entry of the audit log could not be written'])
  })
})
