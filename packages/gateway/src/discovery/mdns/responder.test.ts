import { ManualClock } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { encodeMessage, type Question, query, type ResourceRecord, response } from './dns-message.ts'
import { Lan, LanLink } from './lan.testkit.ts'
import { Responder } from './responder.ts'
import { ADDRESS, HOST, HTTPS, INSTANCE, POINTER, pointerTo, SERVER, told, unique, zoneOn } from './zone.testkit.ts'
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

/** Told long ago. */
async function published(): Promise<void> {
  await responder.publish(zoneOn('eth0'))
  await clock.advance(5000)
  lan.take()
}

describe('a responder that has something new to tell', () => {
  it('tells it at once and a second later, all that it says of itself (RFC 6762 section 8.3)', async () => {
    await responder.publish(zoneOn('eth0'))
    const expected = ['A 120', 'PTR 4500', 'SRV 120', 'TXT 4500']
    expect(lan.take().map(({ answers }) => told(answers))).toEqual([expected])
    await clock.advance(999)
    expect(lan.take()).toEqual([])
    await clock.advance(1)
    expect(lan.take().map(({ answers }) => told(answers))).toEqual([expected])
    await clock.advance(60_000)
    expect(lan.take()).toEqual([])
  })

  it('takes back what it does not say any more, and only its own word for it', async () => {
    await published()
    await responder.publish(new Zone(new Map([['eth0', [ADDRESS]]])))
    const [goodbye, rest] = lan.take()
    expect(goodbye?.answers.map(({ type, ttl, flush }) => `${type} ${ttl} ${flush}`)).toEqual([
      'PTR 0 false',
      'SRV 0 false',
      'TXT 0 false',
    ])
    expect(told(rest?.answers ?? [])).toEqual(['A 120'])
  })

  it('takes everything back at its end, and leaves the network', async () => {
    await published()
    await responder.close()
    expect(lan.take().map(({ answers }) => told(answers))).toEqual([['A 0', 'PTR 0', 'SRV 0', 'TXT 0']])
    expect(link.closed).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe('a question', () => {
  it('for a service type is answered within 20 to 120 ms, with all that would be asked for next', async () => {
    await published()
    lan.say(query({ questions: [ask(HTTPS, 'PTR')] }))
    await clock.advance(69)
    expect(lan.take()).toEqual([])
    await clock.advance(1)
    const [answer] = lan.take()
    expect(answer?.answers).toMatchObject([POINTER])
    expect(told(answer?.additionals ?? [])).toEqual(['SRV 120', 'A 120', 'TXT 4500', 'NSEC 120'])
  })

  it('for what is this host’s alone is answered at once', async () => {
    await published()
    lan.say(query({ questions: [ask(INSTANCE, 'SRV'), ask('PRESS-4.Local', 'A')] }))
    await clock.advance(0)
    expect(lan.take().flatMap(({ answers }) => answers)).toMatchObject([SERVER, ADDRESS])
  })

  it('for an address that there is not is answered with that (RFC 6762 section 6.1)', async () => {
    await published()
    lan.say(query({ questions: [ask(HOST, 'AAAA')] }))
    await clock.advance(0)
    const [denial] = lan.take()[0]?.answers ?? []
    expect(denial).toMatchObject({ name: HOST, type: 'NSEC', data: { nextDomain: HOST, rrtypes: ['A'] } })
  })

  it('for names of others is not answered', async () => {
    await published()
    lan.say(query({ questions: [ask('press-5.local', 'A'), ask('_ipp._tcp.local', 'PTR')] }))
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
  })

  it('is not answered with what the asker knows, unless he will forget it soon (section 7.1)', async () => {
    await published()
    lan.say(query({ questions: [ask(HTTPS, 'PTR')], answers: [{ ...POINTER, ttl: 2250 }] }))
    await clock.advance(1000)
    expect(lan.take()).toEqual([])
    lan.say(query({ questions: [ask(HTTPS, 'PTR')], answers: [{ ...POINTER, ttl: 2249 }] }))
    await clock.advance(1000)
    expect(lan.responses).toHaveLength(1)
  })

  it('is answered to everybody once in a second, however often it comes (section 6)', async () => {
    await published()
    for (let time = 0; time < 10_000; time += 100) {
      lan.say(query({ questions: [ask(HOST, 'A')] }))
      await clock.advance(100)
    }
    expect(lan.responses).toHaveLength(10)
  })

  it('that everybody has just heard the answer of is answered to who asks for himself (section 5.4)', async () => {
    await published()
    lan.say(query({ questions: [ask(HOST, 'A', true)] }))
    await clock.advance(10)
    expect([lan.responses.length, link.replies.length]).toEqual([1, 0])
    lan.say(query({ questions: [ask(HOST, 'A', true)] }))
    await clock.advance(10)
    expect([lan.responses.length, link.replies.length]).toEqual([1, 1])
  })

  it('of who wants the name is answered sooner again: after a quarter of a second', async () => {
    await published()
    const theirs = unique(HOST, { type: 'A', data: '10.0.0.1' })
    const probe = query({ questions: [ask(HOST, 'ANY')], authorities: [theirs] })
    for (let time = 0; time < 1000; time += 250) {
      lan.say(probe)
      await clock.advance(250)
    }
    expect(lan.responses.map(({ answers }) => told(answers))).toEqual(Array(4).fill(['A 120']))
  })

  it('of a simple resolver is answered to it alone, as a name server does (section 6.7)', async () => {
    await published()
    const question = { ...ask(HOST, 'A'), unicast: false }
    link.hear('eth0', encodeMessage({ ...query({ questions: [question] }), id: 4711 }), true)
    await clock.advance(1000)
    expect(lan.responses).toEqual([])
    expect(link.replies).toMatchObject([{ id: 4711, questions: [question], answers: [{ ...ADDRESS, ttl: 10, flush: false }] }])
  })
})

describe('another host', () => {
  const conflicts = async (records: readonly ResourceRecord[]): Promise<number> => {
    await published()
    let heard = 0
    responder.onConflict(() => heard++)
    lan.say(response({ answers: records }))
    lan.say(response({ answers: records }))
    await clock.advance(0)
    return heard
  }

  it.each<[string, ResourceRecord]>([
    ['another address', unique(HOST, { type: 'A', data: '10.0.0.6' })],
    ['an address of the other kind', unique(HOST, { type: 'AAAA', data: 'fd77::6' })],
    ['another port', unique(INSTANCE, { type: 'SRV', data: { port: 444, target: HOST } })],
  ])(
    'that says %s under our name makes us ask anew whose it is: once, and with nothing answered until then',
    async (_what, record) => {
      expect(await conflicts([record])).toBe(1)
      lan.take()
      lan.say(query({ questions: [ask(HOST, 'A')] }))
      await clock.advance(1000)
      expect(lan.take()).toEqual([])
    },
  )

  it.each<[string, ResourceRecord]>([
    ['the same', ADDRESS],
    ['goodbye to its own', { ...unique(HOST, { type: 'A', data: '10.0.0.6' }), ttl: 0 }],
    ['something of another name', unique('press-5.local', { type: 'A', data: '10.0.0.6' })],
    ['something of the service type', pointerTo(`x.${HTTPS}`)],
    ['something that we do not say', unique(HOST, { type: 'HINFO', data: { cpu: 'x', os: 'y' } })],
    ['something that we do not know', unique(HOST, { type: 'LOC', data: Buffer.of(1) })],
  ])('that says %s is no matter', async (_what, record) => {
    expect(await conflicts([record])).toBe(0)
  })

  it('that takes back what we still say is corrected, once', async () => {
    await published()
    lan.say(response({ answers: [{ ...ADDRESS, ttl: 0 }] }))
    await clock.advance(0)
    expect(lan.take().map(({ answers }) => answers)).toMatchObject([[ADDRESS]])
    for (let time = 0; time < 900; time += 100) {
      lan.say(response({ answers: [{ ...ADDRESS, ttl: 1 }] }))
      await clock.advance(100)
    }
    expect(lan.take()).toEqual([])
    await clock.advance(100)
    expect(lan.take()).toHaveLength(1)
  })

  it('of the simple kind cannot contradict: a response comes from the port of multicast DNS (section 6)', async () => {
    await published()
    let heard = 0
    responder.onConflict(() => heard++)
    link.hear('eth0', encodeMessage(response({ answers: [unique(HOST, { type: 'A', data: '10.0.0.6' })] })), true)
    expect(heard).toBe(0)
  })
})
