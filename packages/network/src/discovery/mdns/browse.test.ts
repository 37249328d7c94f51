import { ManualClock, seededRandom } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { browse, type FoundEntry } from './browse.ts'
import { type DnsMessage, encodeMessage, type Question, type ResourceRecord, response } from './dns-message.ts'
import { Lan, LanLink } from './lan.testkit.ts'
import { Responder } from './responder.ts'
import { ADDRESS, HOST, HTTPS, INSTANCE, POINTER, pointerTo, SERVER, TEXT, unique, zoneOn } from './zone.testkit.ts'

const IPP = '_ipp._tcp.local'
const FOUND = {
  interfaceName: 'eth0',
  type: HTTPS,
  host: 'press-4.local',
  port: 443,
  addresses: ['10.0.0.5'],
  txt: [Buffer.from('path=/api/io/')],
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

/** Browses for 3 s; `say` is sent meanwhile, in order. */
async function found(...say: readonly DnsMessage[]): Promise<readonly FoundEntry[]> {
  const running = start()
  await clock.advance(100)
  for (const message of say) {
    lan.broadcast(message)
    await clock.advance(50)
  }
  await clock.advance(3000)
  return running
}

const asked = (type: Question['type']) =>
  lan.messages.flatMap(({ questions }) => questions).filter((question) => question.type === type)

/** A pointer to an instance name that dns-packet cannot write, in place of one of the same length. */
function pointerAs(label: string, standIn: string): Buffer {
  const text = encodeMessage(response({ answers: [pointerTo(`${standIn}.${HTTPS}`)] })).toString('latin1')
  return Buffer.from(text.replace(standIn, label), 'latin1')
}

const answer = (...answers: readonly ResourceRecord[]) => response({ answers })

describe('browse', () => {
  it('ends with the reason of its signal', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const running = browse({ types: [HTTPS], durationMs: 3000, maxEntries: 100, link, clock, random: () => 0.5, signal })
    await clock.advance(1000)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    const { length } = lan.messages
    await clock.advance(5000)
    expect(lan.messages).toHaveLength(length)
  })

  it('finds what a responder announces', async () => {
    const other = new LanLink({ eth0: lan })
    const responder = new Responder({ link: other, clock, random: seededRandom(1) })
    await responder.publish(zoneOn('eth0'))
    await clock.advance(5000)
    expect(await found()).toEqual([FOUND])
    await responder.close()
    expect(await found()).toEqual([])
  })

  it('asks at once, and one and three seconds later, with known answers (RFC 6762 section 5.2)', async () => {
    await found(answer(POINTER, SERVER, TEXT, ADDRESS))
    const queries = lan.messages.filter(({ questions }) => questions.some(({ type }) => type === 'PTR'))
    expect(queries.map(({ answers }) => answers.length)).toEqual([0, 1])
    expect(lan.messages).toHaveLength(2)
  })

  it('combines several messages, and asks for missing records', async () => {
    expect(await found(answer(POINTER), answer(SERVER), answer(TEXT), answer(ADDRESS))).toEqual([FOUND])
    lan.take()
    expect(await found(answer(POINTER))).toEqual([])
    expect([asked('SRV').length, asked('TXT').length, asked('A').length]).toEqual([3, 3, 0])
    lan.take()
    expect(await found(answer(POINTER, SERVER, TEXT))).toEqual([{ ...FOUND, addresses: [] }])
    expect([asked('SRV').length, asked('A').length, asked('AAAA').length]).toEqual([0, 3, 3])
  })

  it('drops an entry after a goodbye', async () =>
    expect(await found(answer(POINTER, SERVER, TEXT, ADDRESS), answer({ ...POINTER, ttl: 0 }))).toEqual([]))

  it('returns link-local addresses with their interface', async () => {
    const near = unique(HOST, { type: 'AAAA', data: 'fe80::1' })
    const [entry] = await found(answer(POINTER, SERVER, TEXT, near))
    expect(entry?.addresses).toEqual(['fe80::1%eth0'])
  })

  it('asks for an instance name with dots as one label (RFC 6763 section 4.3)', async () => {
    const sent: Buffer[] = []
    lan.listen((bytes) => sent.push(bytes))
    const running = start()
    await clock.advance(100)
    link.hear('eth0', pointerAs('Werk 2.Halle', 'Werk 2_Halle'))
    await clock.advance(3000)
    await running
    const label = Buffer.from('\u000cWerk 2.Halle\u0006_https')
    expect(sent.filter((bytes) => bytes.includes(label))).toHaveLength(3)
    expect(sent.filter((bytes) => bytes.includes('Halle'))).toHaveLength(3)
  })

  it('keeps networks apart: two hosts may have one name', async () => {
    const second = new Lan()
    link = new LanLink({ eth0: lan, eth1: second })
    const running = start()
    await clock.advance(100)
    lan.broadcast(answer(POINTER, SERVER, TEXT, ADDRESS))
    second.broadcast(answer(POINTER, SERVER, TEXT, unique(HOST, { type: 'A', data: '10.1.0.5' })))
    await clock.advance(3000)
    expect((await running).map(({ interfaceName, addresses }) => [interfaceName, addresses])).toEqual([
      ['eth0', ['10.0.0.5']],
      ['eth1', ['10.1.0.5']],
    ])
  })
})

describe('browse with unexpected messages', () => {
  it('ignores messages from another port or above the size limit', async () => {
    const running = start()
    await clock.advance(100)
    const whole = answer(POINTER, SERVER, TEXT, ADDRESS)
    link.hear('eth0', encodeMessage(whole), true)
    const strings = Array.from({ length: 40 }, () => Buffer.alloc(250))
    link.hear('eth0', encodeMessage({ ...whole, additionals: [unique(HOST, { type: 'TXT', data: strings })] }))
    await clock.advance(3000)
    expect(await running).toEqual([])
  })

  it('asks for no entries of other types', async () => {
    await found(
      answer({ ...POINTER, name: IPP }, pointerTo(`io.${IPP}`)),
      answer(unique(`io.${IPP}`, { type: 'SRV', data: { port: 1, target: HOST } })),
    )
    expect([asked('SRV').length, asked('A').length]).toEqual([0, 0])
  })

  it.each(['', ' ', '.', '..', '.a', 'a.', 'a\n', '\n.', '\xff'.repeat(63)])(
    'finds other instances despite the name %j',
    async (label) => {
      const running = start()
      await clock.advance(100)
      link.hear('eth0', pointerAs(label, 'x'.repeat(label.length)))
      lan.broadcast(answer(POINTER))
      await clock.advance(3000)
      await running
      expect(asked('SRV').filter(({ name }) => name === INSTANCE)).toHaveLength(3)
      expect(asked('PTR').map(({ name }) => name)).toEqual([HTTPS, HTTPS])
    },
  )

  it('ignores an invalid host name', async () => {
    const target = 'press 4.local'
    await found(answer(POINTER, TEXT, { ...SERVER, data: { port: 1, target } } as ResourceRecord))
    expect(asked('A')).toEqual([])
  })

  it('bounds memory and questions when thousands of devices are announced', async () => {
    const many = Array.from({ length: 60 }, (_, batch) =>
      answer(...Array.from({ length: 100 }, (_device, index) => pointerTo(`x${batch}-${index}.${HTTPS}`))),
    )
    const entries = await found(answer(POINTER, SERVER, TEXT, ADDRESS), ...many)
    expect(entries).toEqual([FOUND])
    // One message of 16 questions every quarter of a second.
    expect(asked('SRV').length + asked('TXT').length).toBeLessThanOrEqual(16 * 4 * 7)
  })
})
