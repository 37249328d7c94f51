import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, silentLog } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { stateFolder } from '../tokens/token-store.testkit.ts'
import type { AuditEntry } from './audit-log.ts'
import { FileAuditLog, MOST_COUNTED, RefusedWrites, WHOLE_PER_MINUTE } from './audit-log.ts'

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
    for (let token = 1; token < MOST_COUNTED; token++) writes.add(refused(String(token)))
    expect(written.at(-1)).toEqual(refused(String(MOST_COUNTED - 1)))
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
  const folder = stateFolder()
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
