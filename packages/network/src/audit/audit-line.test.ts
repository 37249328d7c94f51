import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../core/src/any-character.testkit.ts'
import { auditLine } from './audit-log.ts'

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
