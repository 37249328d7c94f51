import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, silentLog } from '@slotwire/core'
import type { WriteRecord } from '@slotwire/service'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import {
  type AuditEntry,
  auditLine,
  auditWrites,
  FileAuditLog,
  MAX_COUNTED_TOKENS,
  RefusedWrites,
  WHOLE_PER_MINUTE,
} from './audit-log.ts'

const MINUTE_MS = 60_000

const refused = (token = 'abcd1234', result = 403): AuditEntry => ({
  who: `name of ${token}`,
  token,
  address: '192.0.2.7',
  action: 'write',
  what: { method: 'POST', path: `/api/io/1.0/3/${'x'.repeat(200)}` },
  result,
})

function counting() {
  const clock = new ManualClock()
  const written: AuditEntry[] = []
  return { clock, written, writes: new RefusedWrites(clock, (entry) => written.push(entry)) }
}

const statuses = ['403', '404', '405', '413', '415', '422', '429', '500', '504'].map(Number)

describe('RefusedWrites', () => {
  it('writes the first ones of a minute in full, and then counts them by status', async () => {
    const { clock, written, writes } = counting()
    for (let count = 0; count < 1000; count++) writes.add(refused())
    for (const status of statuses) writes.add(refused('abcd1234', status))
    expect(written).toEqual(Array.from({ length: WHOLE_PER_MINUTE }, () => refused()))
    await clock.advance(MINUTE_MS)
    expect(written.slice(WHOLE_PER_MINUTE)).toEqual([
      {
        who: 'name of abcd1234',
        token: 'abcd1234',
        action: 'write',
        what: {
          more: 1004,
          statuses: { 403: 996, 404: 1, 405: 1, 413: 1, 415: 1, 422: 1, 429: 1, 500: 1, 504: 1 },
        },
        result: 'refused',
      },
    ])
    writes.add(refused())
    expect(written.at(-1)).toEqual(refused())
    await clock.advance(MINUTE_MS)
    expect(written).toHaveLength(WHOLE_PER_MINUTE + 2)
  })

  it('counts each token on its own', () => {
    const { written, writes } = counting()
    for (let count = 0; count < 100; count++) writes.add(refused('aaaaaaaa'))
    writes.add(refused('bbbbbbbb'))
    expect(written.at(-1)).toEqual(refused('bbbbbbbb'))
  })

  it('writes the oldest count early if too many tokens are counted', () => {
    const { written, writes } = counting()
    for (let count = 0; count < 6; count++) writes.add(refused('first'))
    for (let token = 1; token < MAX_COUNTED_TOKENS; token++) writes.add(refused(String(token)))
    expect(written.at(-1)).toEqual(refused(String(MAX_COUNTED_TOKENS - 1)))
    writes.add(refused('last'))
    expect(written.slice(-2)).toMatchObject([
      { token: 'first', what: { more: 1 }, result: 'refused' },
      { token: 'last', result: 403 },
    ])
  })

  it('does not count writes that succeeded', () => {
    const { audit, lines } = fileLog()
    for (let count = 0; count < 20; count++) audit.add({ ...refused(), result: 200 + (count % 5) })
    expect(lines('writes')).toHaveLength(20)
  })
})

function fileLog() {
  const folder = temporaryFolder()
  const audit = new FileAuditLog({ folder, wallTime: () => 0, log: silentLog, clock: new ManualClock() })
  const lines = (name: string) =>
    readFileSync(join(folder, 'audit', `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry)
  return { folder, audit, lines }
}

describe('audit log of a flooded service', () => {
  it('still shows who created a token, and how many writes were refused', () => {
    const { folder, audit, lines } = fileLog()
    audit.add({ who: 'local', action: 'token.create', what: { name: 'line 3 PLC' }, result: 'success' })
    for (let count = 0; count < 24_000; count++) audit.add(refused())
    audit.close()
    expect(lines('changes')).toMatchObject([{ action: 'token.create' }])
    expect(lines('writes')).toHaveLength(WHOLE_PER_MINUTE + 1)
    expect(lines('writes').at(-1)).toMatchObject({ what: { more: 24_000 - WHOLE_PER_MINUTE }, result: 'refused' })
    expect(readdirSync(join(folder, 'audit')).sort()).toEqual(['changes.jsonl', 'writes.jsonl'])
  })

  it('still shows who created a token when all files of writes are full', () => {
    const { folder, audit, lines } = fileLog()
    audit.add({ who: 'local', action: 'token.create', what: { name: 'line 3 PLC' }, result: 'success' })
    const body = Array.from({ length: 7 }, () => 'y'.repeat(256))
    for (let count = 0; count < 5000; count++) audit.add({ ...refused(), what: { body }, result: 200 })
    expect(readdirSync(join(folder, 'audit')).filter((name) => name.startsWith('writes'))).toHaveLength(8)
    expect(lines('changes')).toMatchObject([{ action: 'token.create' }])
  })

  it('writes a refused write at once after it was closed', () => {
    const { audit, lines } = fileLog()
    audit.close()
    for (let count = 0; count < 10; count++) audit.add(refused())
    expect(lines('writes')).toHaveLength(10)
  })
})

const record: WriteRecord = {
  caller: { door: 'network', address: '192.0.2.7', token: { id: 'abcd1234', name: 'line 3 PLC' }, readOnly: false },
  method: 'POST',
  path: '/api/io/1.0/3/input/mode',
  body: { pin: 1, mode: 'digital' },
  status: 200,
  durationMs: 2,
}

function audited(...records: readonly WriteRecord[]): readonly AuditEntry[] {
  const entries: AuditEntry[] = []
  const note = auditWrites({ add: (entry) => entries.push(entry) })
  for (const one of records) note(one)
  return entries
}

describe('auditWrites', () => {
  it('records a write through the network door', () =>
    expect(audited(record)).toEqual([
      {
        who: 'line 3 PLC',
        token: 'abcd1234',
        address: '192.0.2.7',
        action: 'write',
        what: { method: 'POST', path: '/api/io/1.0/3/input/mode', body: { pin: 1, mode: 'digital' } },
        result: 200,
      },
    ]))

  it('records a refused write with its status, without a body that was never read', () => {
    const { body: _, ...unread } = record
    expect(audited({ ...unread, status: 403 })).toMatchObject([{ result: 403, what: { method: 'POST' } }])
    expect(audited({ ...unread, status: 403 })[0]?.what).not.toHaveProperty('body')
  })

  it('ignores writes through the loopback door and writes of the process itself', () => {
    const loopback: WriteRecord = { ...record, caller: { door: 'loopback', address: '127.0.0.1', readOnly: false } }
    expect(audited(loopback, { ...record, caller: undefined })).toEqual([])
  })
})

const TIME = '2026-11-21T12:00:00.000Z'
const entry = { who: 'line 3 PLC', address: '192.0.2.7', action: 'write', what: { path: '/api/io/1.0/3/reset' }, result: 200 }

describe('auditLine', () => {
  it('gives time, author, address, action, details and result', () =>
    expect(auditLine(entry, TIME)).toBe(
      '{"time":"2026-11-21T12:00:00.000Z","who":"line 3 PLC","address":"192.0.2.7","action":"write",' +
        '"what":{"path":"/api/io/1.0/3/reset"},"result":200}\n',
    ))

  it('omits the address of a local entry', () => {
    const { address: _, ...local } = entry
    expect(JSON.parse(auditLine(local, TIME))).not.toHaveProperty('address')
  })

  it('stays bounded and one line of JSON for any entry, and never throws', () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 3000 }), fc.constant('x'.repeat(70_000)))
    const what = fc.dictionary(fc.string(), fc.oneof(text, fc.jsonValue()))
    fc.assert(
      fc.property(text, text, what, (who, result, details) => {
        const line = auditLine({ who, address: who, action: who, what: details, result }, TIME)
        expect(line.length).toBeLessThan(30_000)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(Object.keys(JSON.parse(line) as object)).toEqual(['time', 'who', 'address', 'action', 'what', 'result'])
      }),
    )
  })

  it('shortens long texts, and keeps the beginning of a long body', () => {
    const long = JSON.parse(auditLine({ ...entry, what: { body: 'y'.repeat(65_536) } }, TIME)) as typeof entry
    expect(long.what).toEqual({ body: `${'y'.repeat(256)}…` })
    const numbers = Array.from({ length: 10_000 }, (_, index) => index)
    const large = JSON.parse(auditLine({ ...entry, what: { body: numbers } }, TIME)) as { what: { clipped: string } }
    expect(large.what.clipped).toMatch(/^\{"body":\[0,1,2,.*…$/)
    expect(large.what.clipped).toHaveLength(2049)
  })

  it('marks a body as unreadable if it is nested too deep for JSON', () => {
    const body: unknown = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)
    expect(JSON.parse(auditLine({ ...entry, what: { body } }, TIME))).toMatchObject({ what: { unreadable: true } })
  })

  it("never contains a token's secret, wherever a client puts it", () => {
    const token = `swt_abcd1234_${'S'.repeat(43)}`
    const line = auditLine({ who: token, action: token, what: { [token]: token, path: `/${token}\n` }, result: token }, TIME)
    expect(line).not.toContain('SS')
    expect(line).toContain('swt_abcd1234_…')
  })
})
