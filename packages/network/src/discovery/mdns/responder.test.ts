import { ManualClock } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { encodeMessage, type Question, query, type ResourceRecord, response } from './dns-message.ts'
import { Lan, LanLink } from './lan.testkit.ts'
import { Responder } from './responder.ts'
import { ADDRESS, HOST, HTTPS, INSTANCE, POINTER, pointerTo, SERVER, typesAndTtls, unique, zoneOn } from './zone.testkit.ts'
import { Zone } from './zone.ts'

let clock: ManualClock
let lan: Lan
let link: LanLink
let responder: Responder

beforeEach(() => {
  clock = new ManualClock()
  lan = new Lan()
  link = new LanLink({ eth0: lan })
  responder = new Responder({ link, clock, random: () => 0.5 })
})

function ask(name: string, type: Question['type'], unicast = false): Question {
  return { name, type, unicast }
}

/** Published long ago. */
async function published(): Promise<void> {
  await responder.publish(zoneOn('eth0'))
  await clock.advance(5000)
  lan.take()
}

describe('Responder.publish', () => {
  it('announces all records at once and again a second later (RFC 6762 section 8.3)', async () => {
    await responder.publish(zoneOn('eth0'))
    const expected = ['A 120', 'PTR 4500', 'SRV 120', 'TXT 4500']
    expect(lan.take().map(({ answers }) => typesAndTtls(answers))).toEqual([expected])
    await clock.advance(999)
    expect(lan.take()).toEqual([])
    await clock.advance(1)
    expect(lan.take().map(({ answers }) => typesAndTtls(answers))).toEqual([expected])
    await clock.advance(60_000)
    expect(lan.take()).toEqual([])
  })

  it('withdraws removed records without the cache-flush bit', async () => {
    await published()
    await responder.publish(new Zone(new Map([['eth0', [ADDRESS]]])))
    const [goodbye, rest] = lan.take()
    expect(goodbye?.answers.map(({ type, ttl, flush }) => `${type} ${ttl} ${flush}`)).toEqual([
      'PTR 0 false',
      'SRV 0 false',
      'TXT 0 false',
    ])
    expect(typesAndTtls(rest?.answers ?? [])).toEqual(['A 120'])
  })

  it('withdraws all records at its end, and closes the link', async () => {
    await published()
    await responder.close()
    expect(lan.take().map(({ answers }) => typesAndTtls(answers))).toEqual([['A 0', 'PTR 0', 'SRV 0', 'TXT 0']])
    expect(link.closed).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe('Responder', () => {
  it('answers a query for a service type within 20 to 120 ms, with additional records', async () => {
    await published()
    lan.broadcast(query({ questions: [ask(HTTPS, 'PTR')] }))
    await clock.advance(69)
    expect(lan.take()).toEqual([])
    await clock.advance(1)
    const [answer] = lan.take()
    expect(answer?.answers).toMatchObject([POINTER])
    expect(typesAndTtls(answer?.additionals ?? [])).toEqual(['SRV 120', 'A 120', 'TXT 4500', 'NSEC 120'])
  })

  it('answers a query for a unique name at once', async () => {
    await published()
    lan.broadcast(query({ questions: [ask(INSTANCE, 'SRV'), ask('PRESS-4.Local', 'A')] }))
    await clock.advance(0)
    expect(lan.take().flatMap(({ answers }) => answers)).toMatchObject([SERVER, ADDRESS])
  })

  it('denies an address that does not exist (RFC 6762 section 6.1)', async () => {
    await published()
    lan.broadcast(query({ questions: [ask(HOST, 'AAAA')] }))
    await clock.advance(0)
    const [denial] = lan.take()[0]?.answers ?? []
    expect(denial).toMatchObject({ name: HOST, type: 'NSEC', data: { nextDomain: HOST, rrtypes: ['A'] } })
  })

  it('ignores queries for other names', async () => {
    await published()
    lan.broadcast(query({ questions: [ask('press-5.local', 'A'), ask('_ipp._tcp.local', 'PTR')] }))
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
  })

  it('omits known answers, unless they expire soon (section 7.1)', async () => {
    await published()
    lan.broadcast(query({ questions: [ask(HTTPS, 'PTR')], answers: [{ ...POINTER, ttl: 2250 }] }))
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
    lan.broadcast(query({ questions: [ask(HTTPS, 'PTR')], answers: [{ ...POINTER, ttl: 2249 }] }))
    await clock.advance(1000)
    expect(lan.responses).toHaveLength(1)
  })

  it('multicasts a record at most once a second (section 6)', async () => {
    await published()
    for (let time = 0; time < 10_000; time += 100) {
      lan.broadcast(query({ questions: [ask(HOST, 'A')] }))
      await clock.advance(100)
    }
    expect(lan.responses).toHaveLength(10)
  })

  it('responds by unicast to a unicast question after a recent multicast (section 5.4)', async () => {
    await published()
    lan.broadcast(query({ questions: [ask(HOST, 'A', true)] }))
    await clock.advance(10)
    expect([lan.responses.length, link.replies.length]).toEqual([1, 0])
    lan.broadcast(query({ questions: [ask(HOST, 'A', true)] }))
    await clock.advance(10)
    expect([lan.responses.length, link.replies.length]).toEqual([1, 1])
  })

  it('answers a probing host after 250 ms already', async () => {
    await published()
    const theirs = unique(HOST, { type: 'A', data: '10.0.0.1' })
    const probe = query({ questions: [ask(HOST, 'ANY')], authorities: [theirs] })
    for (let time = 0; time < 1000; time += 250) {
      lan.broadcast(probe)
      await clock.advance(250)
    }
    expect(lan.responses.map(({ answers }) => typesAndTtls(answers))).toEqual(Array(4).fill(['A 120']))
  })

  it('answers a legacy resolver by unicast only (section 6.7)', async () => {
    await published()
    const question = { ...ask(HOST, 'A'), unicast: false }
    link.hear('eth0', encodeMessage({ ...query({ questions: [question] }), id: 4711 }), true)
    await clock.advance(1000)
    expect(lan.responses).toEqual([])
    expect(link.replies).toMatchObject([{ id: 4711, questions: [question], answers: [{ ...ADDRESS, ttl: 10, flush: false }] }])
  })
})

describe('Responder with another host', () => {
  const conflicts = async (records: readonly ResourceRecord[]): Promise<number> => {
    await published()
    let heard = 0
    responder.onConflict(() => heard++)
    lan.broadcast(response({ answers: records }))
    lan.broadcast(response({ answers: records }))
    await clock.advance(0)
    return heard
  }

  it.each<[string, ResourceRecord]>([
    ['another address', unique(HOST, { type: 'A', data: '10.0.0.6' })],
    ['an address of the other family', unique(HOST, { type: 'AAAA', data: 'fd77::6' })],
    ['another port', unique(INSTANCE, { type: 'SRV', data: { port: 444, target: HOST } })],
  ])('reports one conflict for %s under its name, and stops responding', async (_what, record) => {
    expect(await conflicts([record])).toBe(1)
    lan.take()
    lan.broadcast(query({ questions: [ask(HOST, 'A')] }))
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
  })

  it.each<[string, ResourceRecord]>([
    ['the same record', ADDRESS],
    ['a goodbye to another record', { ...unique(HOST, { type: 'A', data: '10.0.0.6' }), ttl: 0 }],
    ['a record of another name', unique('press-5.local', { type: 'A', data: '10.0.0.6' })],
    ['a pointer of the service type', pointerTo(`x.${HTTPS}`)],
    ['a record of an unused type', unique(HOST, { type: 'HINFO', data: { cpu: 'x', os: 'y' } })],
    ['a record of an unknown type', unique(HOST, { type: 'LOC', data: Buffer.of(1) })],
  ])('reports no conflict for %s', async (_what, record) => expect(await conflicts([record])).toBe(0))

  it('repeats its record, once, after another host withdraws it', async () => {
    await published()
    lan.broadcast(response({ answers: [{ ...ADDRESS, ttl: 0 }] }))
    await clock.advance(0)
    expect(lan.take().map(({ answers }) => answers)).toMatchObject([[ADDRESS]])
    for (let time = 0; time < 900; time += 100) {
      lan.broadcast(response({ answers: [{ ...ADDRESS, ttl: 1 }] }))
      await clock.advance(100)
    }
    expect(lan.take()).toEqual([])
    await clock.advance(100)
    expect(lan.take()).toHaveLength(1)
  })

  it('reports no conflict for a response from another port (section 6)', async () => {
    await published()
    let heard = 0
    responder.onConflict(() => heard++)
    link.hear('eth0', encodeMessage(response({ answers: [unique(HOST, { type: 'A', data: '10.0.0.6' })] })), true)
    expect(heard).toBe(0)
  })
})
