import { ManualClock } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { encodeMessage, query, type ResourceRecord, response } from './dns-message.ts'
import { Lan, LanLink } from './lan.testkit.ts'
import { namesAreFree, tieBreak } from './probe.ts'
import { ADDRESS, HOST, INSTANCE, typesAndTtls, unique, zoneOn } from './zone.testkit.ts'

let clock: ManualClock
let lan: Lan
let link: LanLink
let outcome: string | undefined
let stop: AbortController

beforeEach(() => {
  clock = new ManualClock()
  lan = new Lan()
  link = new LanLink({ eth0: lan })
  outcome = undefined
  stop = new AbortController()
})

function probe(interfaces = ['eth0'], over = link): void {
  namesAreFree(zoneOn(...interfaces), { link: over, clock, random: () => 0.5, signal: stop.signal }).then(
    (free) => {
      outcome = free ? 'free' : 'taken'
    },
    (error: unknown) => {
      outcome = String(error)
    },
  )
}

const theirs = (address: string): ResourceRecord => unique(HOST, { type: 'A', data: address })
const probeOf = (address: string) =>
  query({ questions: [{ name: HOST, type: 'ANY', unicast: false }], authorities: [theirs(address)] })

describe('namesAreFree', () => {
  it('probes three times, 250 ms apart, with the intended records (RFC 6762 section 8.1)', async () => {
    probe()
    await clock.advance(124)
    expect(lan.messages).toEqual([])
    await clock.advance(1)
    const [first] = lan.messages
    expect(first?.questions.map(({ name, type }) => [name, type])).toEqual([
      [HOST, 'ANY'],
      [INSTANCE, 'ANY'],
    ])
    expect(typesAndTtls(first?.authorities ?? [])).toEqual(['A 120', 'SRV 120', 'TXT 4500'])
    await clock.advance(749)
    expect([lan.messages.length, outcome]).toEqual([3, undefined])
    await clock.advance(1)
    expect([lan.messages.length, outcome, clock.pending]).toEqual([3, 'free', 0])
  })

  it('reports a taken name as soon as another host responds with other records', async () => {
    probe()
    await clock.advance(200)
    lan.broadcast(response({ answers: [theirs('10.0.0.6')] }))
    await clock.advance(0)
    expect([outcome, clock.pending]).toEqual(['taken', 0])
  })

  it.each<[string, ResourceRecord]>([
    ['the same record', ADDRESS],
    ['a goodbye', { ...theirs('10.0.0.6'), ttl: 0 }],
    ['a record that lists all types', unique(HOST, { type: 'NSEC', data: { nextDomain: HOST, rrtypes: ['A'] } })],
  ])('reports a free name despite %s', async (_what, record) => {
    probe()
    await clock.advance(200)
    lan.broadcast(response({ answers: [record] }))
    await clock.advance(1000)
    expect(outcome).toBe('free')
  })

  it('ignores responses before the first probe or from another port', async () => {
    probe()
    lan.broadcast(response({ answers: [theirs('10.0.0.6')] }))
    await clock.advance(200)
    link.hear('eth0', encodeMessage(response({ answers: [theirs('10.0.0.6')] })), true)
    await clock.advance(1000)
    expect(outcome).toBe('free')
  })

  it('probes again after a second if another host probes at once and wins', async () => {
    probe()
    await clock.advance(200)
    lan.broadcast(probeOf('10.0.0.6'))
    lan.take()
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
    await clock.advance(125 + 750)
    expect([lan.messages.length, outcome]).toEqual([3, 'free'])
  })

  it('continues if another host probes at once and loses', async () => {
    probe()
    await clock.advance(200)
    lan.broadcast(probeOf('10.0.0.4'))
    await clock.advance(675)
    expect(outcome).toBe('free')
  })

  it('gives up if another host probes forever', async () => {
    probe()
    for (let time = 0; time < 20_000 && outcome === undefined; time += 100) {
      lan.broadcast(probeOf('10.0.0.6'))
      await clock.advance(100)
    }
    expect([outcome, clock.now() < 13_000]).toEqual(['taken', true])
  })

  it('ignores its own messages on a second interface in the same network', async () => {
    const double = new LanLink({ eth0: lan, wlan0: lan })
    probe(['eth0', 'wlan0'], double)
    await clock.advance(1000)
    expect(outcome).toBe('free')
  })

  it('stops when its signal is aborted', async () => {
    probe()
    await clock.advance(200)
    stop.abort(new Error('over'))
    await clock.advance(0)
    expect([outcome, clock.pending]).toEqual(['Error: over', 0])
  })
})

describe('tieBreak', () => {
  const aaaa = unique(HOST, { type: 'AAAA', data: 'fd77::1' })

  it('prefers the later data (the example of RFC 6762 section 8.2)', () => {
    expect(tieBreak([theirs('169.254.99.200')], [theirs('169.254.200.50')])).toBeLessThan(0)
    expect(tieBreak([theirs('169.254.200.50')], [theirs('169.254.99.200')])).toBeGreaterThan(0)
  })

  it('compares types before data, and the number of records last', () => {
    expect(tieBreak([aaaa], [theirs('255.255.255.255')])).toBeGreaterThan(0)
    expect(tieBreak([theirs('10.0.0.1'), aaaa], [theirs('10.0.0.1')])).toBeGreaterThan(0)
    expect(tieBreak([theirs('10.0.0.1')], [aaaa, theirs('10.0.0.1')])).toBeLessThan(0)
  })

  it('compares uncompressed names, and records of other types', () => {
    const pointer = (data: string) => unique(HOST, { type: 'PTR', data })
    // The length of a label precedes its letters.
    expect(tieBreak([pointer('b.local')], [pointer('aa.local')])).toBeLessThan(0)
    expect(tieBreak([aaaa], [unique(HOST, { type: 'HINFO', data: { cpu: 'x', os: 'y' } }), aaaa])).toBeGreaterThan(0)
  })

  it('returns 0 for equal records in any order', () =>
    expect(tieBreak([aaaa, theirs('10.0.0.1')], [theirs('10.0.0.1'), aaaa])).toBe(0))
})
