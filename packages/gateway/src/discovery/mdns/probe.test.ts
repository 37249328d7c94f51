import { ManualClock } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { encodeMessage, query, type ResourceRecord, response } from './dns-message.ts'
import { Lan, LanLink } from './lan.testkit.ts'
import { namesAreFree, tieBreak } from './probe.ts'
import { ADDRESS, HOST, INSTANCE, told, unique, zoneOn } from './zone.testkit.ts'

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

describe('whether a name is free', () => {
  it('is asked three times, a quarter of a second apart, with what is going to be said (RFC 6762 section 8.1)', async () => {
    probe()
    await clock.advance(124)
    expect(lan.messages).toEqual([])
    await clock.advance(1)
    const [first] = lan.messages
    expect(first?.questions.map(({ name, type }) => [name, type])).toEqual([
      [HOST, 'ANY'],
      [INSTANCE, 'ANY'],
    ])
    expect(told(first?.authorities ?? [])).toEqual(['A 120', 'SRV 120', 'TXT 4500'])
    await clock.advance(749)
    expect([lan.messages.length, outcome]).toEqual([3, undefined])
    await clock.advance(1)
    expect([lan.messages.length, outcome, clock.pending]).toEqual([3, 'free', 0])
  })

  it('is known to be not so as soon as somebody says something else under it', async () => {
    probe()
    await clock.advance(200)
    lan.say(response({ answers: [theirs('10.0.0.6')] }))
    await clock.advance(0)
    expect([outcome, clock.pending]).toEqual(['taken', 0])
  })

  it.each<[string, ResourceRecord]>([
    ['the same', ADDRESS],
    ['goodbye', { ...theirs('10.0.0.6'), ttl: 0 }],
    ['that there is nothing else', unique(HOST, { type: 'NSEC', data: { nextDomain: HOST, rrtypes: ['A'] } })],
  ])('is not disproved by who says %s', async (_what, record) => {
    probe()
    await clock.advance(200)
    lan.say(response({ answers: [record] }))
    await clock.advance(1000)
    expect(outcome).toBe('free')
  })

  it('is not disproved by what was said before the question, or from another port', async () => {
    probe()
    lan.say(response({ answers: [theirs('10.0.0.6')] }))
    await clock.advance(200)
    link.hear('eth0', encodeMessage(response({ answers: [theirs('10.0.0.6')] })), true)
    await clock.advance(1000)
    expect(outcome).toBe('free')
  })

  it('is asked again a second later when another host asks at the same time, and comes first', async () => {
    probe()
    await clock.advance(200)
    lan.say(probeOf('10.0.0.6'))
    lan.take()
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
    await clock.advance(125 + 750)
    expect([lan.messages.length, outcome]).toEqual([3, 'free'])
  })

  it('goes on being asked when another host asks at the same time, and comes second', async () => {
    probe()
    await clock.advance(200)
    lan.say(probeOf('10.0.0.4'))
    await clock.advance(675)
    expect(outcome).toBe('free')
  })

  it('is given up when somebody asks for ever', async () => {
    probe()
    for (let time = 0; time < 20_000 && outcome === undefined; time += 100) {
      lan.say(probeOf('10.0.0.6'))
      await clock.advance(100)
    }
    expect([outcome, clock.now() < 13_000]).toEqual(['taken', true])
  })

  it('is not disproved by ourselves: two interfaces in one network hear each other', async () => {
    const double = new LanLink({ eth0: lan, wlan0: lan })
    probe(['eth0', 'wlan0'], double)
    await clock.advance(1000)
    expect(outcome).toBe('free')
  })

  it('is not asked any more when nobody wants to know', async () => {
    probe()
    await clock.advance(200)
    stop.abort(new Error('over'))
    await clock.advance(0)
    expect([outcome, clock.pending]).toEqual(['Error: over', 0])
  })
})

describe('two hosts that want one name', () => {
  const aaaa = unique(HOST, { type: 'AAAA', data: 'fd77::1' })

  it('compare what they would say: the later one wins (the example of RFC 6762 section 8.2)', () => {
    expect(tieBreak([theirs('169.254.99.200')], [theirs('169.254.200.50')])).toBeLessThan(0)
    expect(tieBreak([theirs('169.254.200.50')], [theirs('169.254.99.200')])).toBeGreaterThan(0)
  })

  it('go by the type before the content, and by the number of records at last', () => {
    expect(tieBreak([aaaa], [theirs('255.255.255.255')])).toBeGreaterThan(0)
    expect(tieBreak([theirs('10.0.0.1'), aaaa], [theirs('10.0.0.1')])).toBeGreaterThan(0)
    expect(tieBreak([theirs('10.0.0.1')], [aaaa, theirs('10.0.0.1')])).toBeLessThan(0)
  })

  it('compare names as they are written in full, and records of types that we never say', () => {
    const pointer = (data: string) => unique(HOST, { type: 'PTR', data })
    // The length of a label comes before its letters.
    expect(tieBreak([pointer('b.local')], [pointer('aa.local')])).toBeLessThan(0)
    expect(tieBreak([aaaa], [unique(HOST, { type: 'HINFO', data: { cpu: 'x', os: 'y' } }), aaaa])).toBeGreaterThan(0)
  })

  it('have nothing to decide when both say the same, in whatever order', () => {
    expect(tieBreak([aaaa, theirs('10.0.0.1')], [theirs('10.0.0.1'), aaaa])).toBe(0)
  })
})
