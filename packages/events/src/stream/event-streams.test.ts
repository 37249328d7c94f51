import { nextTurn } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BATCH_MS, StreamWorld } from './stream.testkit.ts'

let world: StreamWorld
beforeEach(async () => (world = await StreamWorld.open()))
afterEach(() => world.close())

const HELLO = { kind: 'hello', boot: 7, state: { modules: [] } }

describe('GET /slotwire/events', () => {
  it('sends the state first, and then each record, in order and with its id', async () => {
    await world.alerts(2)
    const client = await world.subscribe()
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    expect(await client.next()).toEqual([{ id: '7-2', data: { ...HELLO, last: '7-2' } }])
    world.journal.add({ kind: 'device', state: 'restarting' })
    const ids = await world.alerts(3)
    const received = await client.next(4)
    expect(received.map(({ id, data }) => [id, data?.['id'], data?.['kind']])).toEqual([
      ['7-3', '7-3', 'device'],
      ...ids.map((id) => [id, id, 'alert']),
    ])
  })

  it('sends the first record after a pause at once, and the next ones together', async () => {
    const client = await world.subscribe()
    await client.next()
    world.journal.add({ kind: 'alert', pin: 1 })
    expect(await client.data()).toMatchObject({ pin: 1 })
    world.journal.add({ kind: 'alert', pin: 2 })
    world.journal.add({ kind: 'alert', pin: 3 })
    await world.clock.advance(BATCH_MS)
    expect((await client.next(2)).map(({ data }) => data?.['pin'])).toEqual([2, 3])
  })

  it.each([
    ['?after=7-1', {}, ['7-2', '7-3']],
    ['', { 'last-event-id': '7-2' }, ['7-3']],
    ['?after=7-1', { 'last-event-id': '7-2' }, ['7-3']],
    ['?after=7-1&kinds=device', {}, []],
  ])('continues after a position without hello: %s %j', async (query, headers, ids) => {
    await world.alerts(3)
    const client = await world.subscribe(query, headers)
    world.journal.add({ kind: 'device', state: 'up' })
    expect((await client.next(ids.length + 1)).map(({ id }) => id)).toEqual([...ids, '7-4'])
  })

  it.each([
    ['nonsense', { from: null, to: '7-2', missing: null }],
    ['7-9', { from: '7-0', to: '7-0', missing: null }],
    ['6-1', { from: '6-2', to: '7-0', missing: null }],
  ])('answers the position %s, which it never gave, with a gap, what it has of this run, and the state', async (after, gap) => {
    await world.alerts(2)
    const client = await world.subscribe(`?after=${after}`)
    const messages = await client.next(after === 'nonsense' ? 2 : 4)
    expect(messages[0]?.data).toEqual({ kind: 'gap', ...gap })
    expect(messages.at(-1)).toEqual({ id: '7-2', data: { ...HELLO, last: '7-2' } })
    expect(world.metric('gaps_total')).toBe(1)
  })

  it('reports what the journal has lost as a gap, and sends the rest', async () => {
    await world.alerts(10_002)
    const client = await world.subscribe('?after=7-1')
    const messages = await client.next(10_002)
    expect(messages[0]).toEqual({ id: '7-1', data: { kind: 'gap', from: '7-2', to: '7-2', missing: 1 } })
    expect(messages.slice(1, -1).map(({ id }) => id)).toEqual(Array.from({ length: 10_000 }, (_, index) => `7-${index + 3}`))
    expect(messages.at(-1)?.data).toMatchObject({ kind: 'hello', last: '7-10002' })
  })

  it.each([
    ['?kinds=alert,device', ['alert', 'device']],
    ['?kinds=alert&kinds=module', ['alert', 'module']],
    ['?slots=3', ['alert']],
    ['?slots=4,3', ['alert', 'module']],
    ['?slots=3&kinds=module', []],
  ])('filters by kind and slot: %s', async (query, kinds) => {
    const client = await world.subscribe(query)
    await client.next()
    world.journal.add({ kind: 'alert', slot: 3, service: 'toy' })
    world.journal.add({ kind: 'device', state: 'up' })
    world.journal.add({ kind: 'module', slot: 4, service: 'toy' })
    await world.clock.advance(15_500)
    const received = await client.next(kinds.length + 1)
    expect(received.map(({ data }) => data?.['kind'])).toEqual([...kinds, undefined])
    expect(received.at(-1)).toEqual({ id: '7-3', data: undefined })
  })

  it('sends an empty message with the last id after 15 s without a record', async () => {
    const client = await world.subscribe('?kinds=device')
    await client.next()
    await world.clock.advance(10_000)
    await world.alerts(1)
    await world.clock.advance(4900)
    world.journal.add({ kind: 'device', state: 'up' })
    expect((await client.next()).map(({ id }) => id)).toEqual(['7-2'])
    await world.alerts(1)
    await world.clock.advance(15_500)
    expect(await client.next()).toEqual([{ id: '7-3', data: undefined }])
  })

  it.each([
    ['?kinds=alerts', 'kinds has alerts, which is no kind: did you mean alert?'],
    ['?kinds=', 'kinds has "", which is no kind: write device, module, alert, protection, power, write, usb, watchdog or lease'],
    ['?slots=8', 'slots is 8: write 0…7'],
    ['?slots=x', 'slots is x: write 0…7'],
    ['?watch=toy/3/level', 'watch toy/3/level has no interval: write it behind @, as in toy/3/level@250ms'],
    ['?watch=toy/3/level@49ms', 'watch interval is 49ms: write a time from 50ms to 1h'],
    ['?watch=toy/3/level@2h', 'watch interval is 2h: write a time from 50ms to 1h'],
    ['?watch=toy/3/levl@1s', 'watch toy/3/levl cannot be read: did you mean toy/{slot}/level?'],
    ['?watch=toy/3/feed@1s', 'watch toy/3/feed cannot be read: write a GET without effect, as in toy/{slot}/level'],
    ['?watch=toy/3/part/201@1s', 'watch toy/3/part/201 cannot be read: write a GET without effect, as in toy/{slot}/level'],
    ['?watch=toy/3/note/1@1s', 'watch toy/3/note/1 cannot be read: write a GET without effect, as in toy/{slot}/level'],
    ['?watch=toy/8/level@1s', 'the slot of watch toy/8/level@1s is 8: write 0…7'],
    ['?watch=toy/3/level?x=1@1s', 'watch toy/3/level?x=1 has a query: leave it out'],
    ['?watch=toy/3/level@1s,toy//3/level@2s', 'watch has toy/3/level twice: give it once'],
    [`?watch=${'x,'.repeat(32)}`, 'watch has too many values: at most 32'],
    [`?slots=${'9,'.repeat(32)}`, 'slots has too many values: at most 32'],
    ['?watch=toy/3/level@1s&wait=1s', 'watch needs a stream: leave out wait, and accept text/event-stream'],
    [
      '?watch=toy/3/level@1s',
      'watch needs a stream: leave out wait, and accept text/event-stream',
      { accept: 'application/json' },
    ],
    ['?wait=31s', 'wait is 31s: write a time from 0ms to 30s'],
    ['?wait=20', 'wait is 20: write a time from 0ms to 30s'],
    ['?kind=alert', 'the parameter kind is unknown: did you mean kinds?'],
    ['?after=7-1&after=7-2', 'after is given twice: give it once'],
  ])('refuses %s', async (query, message, headers: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await world.ask(query, { headers })
    expect([status, (JSON.parse(body) as { message: string }).message]).toEqual([422, message])
    expect(world.metric('subscribers')).toBe(0)
  })

  it('reads the journal for one long poll in each turn of the event loop', async () => {
    let turn = 0
    const turns: number[] = []
    const read = world.journal.read.bind(world.journal)
    vi.spyOn(world.journal, 'read').mockImplementation((...position) => {
      turns.push(turn)
      return read(...position)
    })
    const polls = Promise.all(Array.from({ length: 20 }, () => world.ask('?wait=0s&after=1-1')))
    while (turns.length < 20) {
      await nextTurn()
      turn++
    }
    expect((await polls).map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(turns).size).toBe(20)
  })

  it('answers HEAD without a stream, and refuses other methods', async () => {
    const { status, headers } = await world.ask('', { method: 'HEAD' })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect((await world.ask('', { method: 'POST' })).status).toBe(405)
    expect(world.metric('subscribers')).toBe(0)
  })
})

describe('a long poll', () => {
  const poll = async (query: string, accept = 'application/json') => {
    const { status, body } = await world.ask(query, { headers: { accept } })
    return { status, ...(JSON.parse(body) as { messages: { kind: string; id?: string }[]; next: string }) }
  }

  it('answers at once without a position, and with missing records', async () => {
    await world.alerts(2)
    expect(await poll('?wait=20s')).toEqual({ status: 200, messages: [{ ...HELLO, last: '7-2' }], next: '7-2' })
    expect(await poll('?wait=20s&after=7-1', '*/*')).toMatchObject({ messages: [{ id: '7-2' }], next: '7-2' })
    expect(await poll('?after=7-2')).toEqual({ status: 200, messages: [], next: '7-2' })
    expect(await poll('?after=x&wait=1s')).toMatchObject({ messages: [{ kind: 'gap' }, { kind: 'hello' }], next: '7-2' })
  })

  it('waits for a record that its filter wants', async () => {
    const answer = poll('?wait=20s&after=7-0&kinds=alert')
    await expect.poll(() => world.metric('subscribers')).toBe(1)
    world.journal.add({ kind: 'device', state: 'up' })
    await world.alerts(1)
    expect(await answer).toMatchObject({ messages: [{ kind: 'alert', id: '7-2' }], next: '7-2' })
    expect(world.metric('subscribers')).toBe(0)
  })

  it('answers without messages when its time is over', async () => {
    const answer = poll('?wait=20s&after=7-0&kinds=alert')
    await expect.poll(() => world.metric('subscribers')).toBe(1)
    world.journal.add({ kind: 'device', state: 'up' })
    await world.clock.advance(20_000)
    expect(await answer).toEqual({ status: 200, messages: [], next: '7-1' })
  })

  it('answers in parts of 256 KB', async () => {
    await world.alerts(4000)
    const first = await poll('?after=7-0')
    const second = await poll(`?after=${first.next}`)
    expect(first.messages.length).toBeLessThan(4000)
    expect([...first.messages, ...second.messages].map(({ id }) => id)).toEqual(
      Array.from({ length: 4000 }, (_, index) => `7-${index + 1}`),
    )
  })

  it('leaves nothing behind if the client goes away', async () => {
    const abort = new AbortController()
    const answer = world.ask('?wait=20s&after=7-0', { signal: abort.signal }).catch(() => 'gone')
    await expect.poll(() => world.metric('subscribers')).toBe(1)
    abort.abort()
    expect(await answer).toBe('gone')
    await expect.poll(() => world.clock.advance(500).then(() => world.metric('subscribers'))).toBe(0)
    expect(world.clock.pending).toBe(0)
  })
})
