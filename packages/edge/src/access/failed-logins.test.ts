import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { FailedLogins, MAX_CLIENTS } from './failed-logins.ts'

function failedLogins() {
  const clock = new ManualClock()
  const log = new RecordingLog()
  const failures = new FailedLogins({ clock, log })
  const fail = (times: number, address = '192.0.2.7') => Array.from({ length: times }, () => failures.add(address))
  const counted = () => failures.metrics().map(({ samples }) => samples[0]?.value)
  return { clock, log, failures, fail, counted }
}

const free = { limited: false }
const limited = (retryAfterSeconds: number) => ({ limited: true, retryAfterSeconds })

describe('FailedLogins', () => {
  it('allows ten failures, and then one more every six seconds', async () => {
    const { fail, clock } = failedLogins()
    expect(fail(10)).toEqual(Array(10).fill(free))
    expect(fail(1)).toEqual([limited(6)])
    await clock.advance(2500)
    expect(fail(2)).toEqual([limited(4), limited(4)])
    await clock.advance(3500)
    expect(fail(2)).toEqual([free, limited(6)])
  })

  it('forgets all failures after a minute', async () => {
    const { fail, clock } = failedLogins()
    fail(30)
    await clock.advance(60_000)
    expect(fail(11)).toEqual([...(Array(10).fill(free) as object[]), limited(6)])
  })

  it('counts per client: IPv4 by address, IPv6 by /64', () => {
    const { fail } = failedLogins()
    fail(10)
    expect(fail(1, '192.0.2.8')).toEqual([free])
    for (let host = 1; host <= 10; host++) fail(1, `2001:db8::${host}`)
    expect(fail(1, '2001:db8::ffff')).toEqual([limited(6)])
    expect(fail(1, '2001:db8:0:1::1')).toEqual([free])
  })

  it('logs each failure with its address, and the limit once', async () => {
    const { fail, log, clock } = failedLogins()
    fail(25)
    expect(log.lines.map(({ level, fields, message }) => [level, fields, message])).toEqual([
      ...(Array(10).fill(['warn', { address: '192.0.2.7' }, 'a login failed']) as unknown[]),
      ['warn', { address: '192.0.2.7' }, 'too many failed logins: more from this address are refused for a while and not logged'],
    ])
    await clock.advance(6000)
    fail(5)
    expect(log.lines).toHaveLength(12)
    await clock.advance(60_000)
    fail(11)
    expect(log.lines).toHaveLength(23)
  })

  it('counts a repeated request once, with the same result', async () => {
    const { failures, counted, clock } = failedLogins()
    for (let request = 0; request < 10; request++) {
      expect(failures.add('192.0.2.7', `request ${request}`)).toEqual(free)
      expect(failures.add('192.0.2.7', `request ${request}`)).toEqual(free)
    }
    expect(failures.add('192.0.2.7', 'the next')).toEqual(limited(6))
    await clock.advance(6000)
    expect(failures.add('192.0.2.7', 'the next')).toEqual(limited(6))
    expect(failures.add('192.0.2.8', 'the next')).toEqual(free)
    expect(counted()).toEqual([12, 1])
  })

  it('remembers a limited number of clients, the latest ones', () => {
    const { failures, fail } = failedLogins()
    fail(10, '192.0.2.1')
    fail(10, '192.0.2.2')
    for (let client = 0; client < MAX_CLIENTS - 2; client++) fail(1, `10.0.${client >> 8}.${client & 0xff}`)
    expect(fail(1, '192.0.2.1')).toEqual([limited(6)])
    fail(1, '10.1.0.0')
    expect(failures.size).toBe(MAX_CLIENTS)
    expect(fail(1, '192.0.2.1')).toEqual([limited(6)])
    expect(fail(1, '192.0.2.2')).toEqual([free])
  })
})
