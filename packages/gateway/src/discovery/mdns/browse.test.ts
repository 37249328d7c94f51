import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { browse, type FoundEntry } from './browse.ts'
import { encodeMessage } from './encode.ts'
import { Lan, LanLink } from './lan.testkit.ts'
import { type DnsMessage, RECORD_TYPES, type ResourceRecord, response } from './resource-record.ts'
import { Responder } from './responder.ts'
import { ADDRESS, HOST, HTTPS, POINTER, SERVER, TEXT, unique, zoneOn } from './zone.testkit.ts'

const IPP = ['_ipp', '_tcp', 'local']
const FOUND = {
  interfaceName: 'eth0',
  type: HTTPS,
  instance: 'io-module on press-4',
  host: 'press-4.local',
  port: 443,
  addresses: ['10.0.0.5'],
  txt: [new TextEncoder().encode('path=/api/io/')],
}

let clock: ManualClock
let lan: Lan
let link: LanLink

beforeEach(() => {
  clock = new ManualClock()
  lan = new Lan()
  link = new LanLink({ eth0: lan })
})

const start = () => browse({ types: [HTTPS], durationMs: 3000, maxEntries: 100, link, clock, random: () => 0.5 })

/** Browses for 3 s; `say` is said in its course, in order. */
async function found(...say: readonly DnsMessage[]): Promise<readonly FoundEntry[]> {
  const running = start()
  await clock.advance(100)
  for (const message of say) {
    lan.say(message)
    await clock.advance(50)
  }
  await clock.advance(3000)
  return running
}

const asked = (type: keyof typeof RECORD_TYPES) =>
  lan.messages.flatMap(({ questions }) => questions).filter((question) => question.type === RECORD_TYPES[type])

const answer = (...answers: readonly ResourceRecord[]) => response({ answers })

describe('browsing', () => {
  it('finds what a responder announces', async () => {
    const other = new LanLink({ eth0: lan })
    const responder = new Responder({ link: other, clock, random: seededRandom(1), log: silentLog })
    await responder.publish(zoneOn('eth0'))
    await clock.advance(5000)
    expect(await found()).toEqual([FOUND])
    await responder.close()
    expect(await found()).toEqual([])
  })

  it('asks at once, a second and three seconds later, without repeating what it knows (RFC 6762 section 5.2)', async () => {
    await found(answer(POINTER, SERVER, TEXT, ADDRESS))
    const queries = lan.messages.filter(({ questions }) => questions.some(({ type }) => type === RECORD_TYPES.PTR))
    expect(queries.map(({ answers }) => answers.length)).toEqual([0, 1])
    expect(lan.messages).toHaveLength(2)
  })

  it('puts together what comes in several messages, and asks for what does not come at all', async () => {
    expect(await found(answer(POINTER), answer(SERVER), answer(TEXT), answer(ADDRESS))).toEqual([FOUND])
    lan.take()
    expect(await found(answer(POINTER))).toEqual([])
    expect([asked('SRV').length, asked('TXT').length, asked('A').length]).toEqual([3, 3, 0])
    lan.take()
    expect(await found(answer(POINTER, SERVER, TEXT))).toEqual([{ ...FOUND, addresses: [] }])
    expect([asked('SRV').length, asked('A').length, asked('AAAA').length]).toEqual([0, 3, 3])
  })

  it('forgets what says goodbye', async () => {
    expect(await found(answer(POINTER, SERVER, TEXT, ADDRESS), answer({ ...POINTER, ttl: 0 }))).toEqual([])
  })

  it('has link-local addresses with the interface that leads there', async () => {
    const near = unique(HOST, { type: 'AAAA', address: 'fe80::1' })
    const [entry] = await found(answer(POINTER, SERVER, TEXT, near))
    expect(entry?.addresses).toEqual(['fe80::1%eth0'])
  })

  it('keeps networks apart: two hosts may have one name', async () => {
    const second = new Lan()
    link = new LanLink({ eth0: lan, eth1: second })
    const running = start()
    await clock.advance(100)
    lan.say(answer(POINTER, SERVER, TEXT, ADDRESS))
    second.say(answer(POINTER, SERVER, TEXT, unique(HOST, { type: 'A', address: '10.1.0.5' })))
    await clock.advance(3000)
    expect((await running).map(({ interfaceName, addresses }) => [interfaceName, addresses])).toEqual([
      ['eth0', ['10.0.0.5']],
      ['eth1', ['10.1.0.5']],
    ])
  })
})

describe('what strangers announce', () => {
  it('is not taken from another port, nor when it is larger than any message may be', async () => {
    const running = start()
    await clock.advance(100)
    const whole = answer(POINTER, SERVER, TEXT, ADDRESS)
    link.hear('eth0', encodeMessage(whole), true)
    const strings = Array.from({ length: 40 }, () => new Uint8Array(250))
    link.hear('eth0', encodeMessage({ ...whole, additionals: [unique(HOST, { type: 'TXT', strings })] }))
    await clock.advance(3000)
    expect(await running).toEqual([])
  })

  it('is not looked at where it is of other types, or of nobody', async () => {
    const elsewhere: ResourceRecord = { ...POINTER, data: { type: 'PTR', target: ['io', ...IPP] } }
    await found(
      answer({ ...POINTER, name: IPP }, elsewhere),
      answer(unique(['io', ...IPP], { type: 'SRV', port: 1, target: HOST })),
    )
    expect([asked('SRV').length, asked('A').length]).toEqual([0, 0])
  })

  it('is looked at as far as there is room for it: thousands of devices take neither memory nor time', async () => {
    const many = Array.from({ length: 60 }, (_, batch) =>
      answer(
        ...Array.from(
          { length: 100 },
          (_device, index): ResourceRecord => ({ ...POINTER, data: { type: 'PTR', target: [`x${batch}-${index}`, ...HTTPS] } }),
        ),
      ),
    )
    const entries = await found(answer(POINTER, SERVER, TEXT, ADDRESS), ...many)
    expect(entries).toEqual([FOUND])
    // Every quarter of a second one message of 16 questions.
    expect(asked('SRV').length + asked('TXT').length).toBeLessThanOrEqual(16 * 4 * 7)
  })
})
