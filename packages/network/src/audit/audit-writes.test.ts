import type { WriteRecord } from '@slotwire/service'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from './audit-log.ts'
import { auditWrites } from './audit-log.ts'

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
