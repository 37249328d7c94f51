import { nextTurn } from '@slotwire/core'
import { afterEach, describe, expect, it } from 'vitest'
import { BATCH_MS, StreamWorld, type Subscriber } from './stream.testkit.ts'

let world: StreamWorld
afterEach(() => world.close())

const kinds = (messages: Awaited<ReturnType<Subscriber['rest']>>) => messages.map(({ data }) => data?.['kind'])

describe('streams of one caller', () => {
  it('are 16: one more ends the oldest, with a message that says so', async () => {
    world = await StreamWorld.open()
    const clients: Subscriber[] = []
    for (let count = 0; count < 17; count++) clients.push(await world.subscribe())
    const [oldest, second] = clients
    const [, end] = (await oldest?.rest()) ?? []
    expect(end).toEqual({
      id: '7-0',
      data: { kind: 'end', reason: 'replaced', message: expect.stringContaining('oldest') as string },
    })
    await world.alerts(1)
    expect(kinds((await second?.next(2)) ?? [])).toEqual(['hello', 'alert'])
    expect(world.metric('subscribers')).toBe(16)
    await world.subscribe('', {}, '127.0.0.2')
    expect(world.metric('subscribers')).toBe(17)
  })

  it('are counted for its token, from any address', async () => {
    world = await StreamWorld.open({ caller: { token: { id: 'a', name: 'line 3' } }, limits: { streams: 3 } })
    const first = await world.subscribe('', {}, '127.0.0.2')
    for (let count = 0; count < 3; count++) await world.subscribe('', {}, '127.0.0.3')
    expect(kinds(await first.rest())).toEqual(['hello', 'end'])
  })

  it('leave connections for ordinary requests: one more than all is refused with 503', async () => {
    world = await StreamWorld.open({ limits: { streams: 2 } })
    await world.subscribe('', {}, '127.0.0.2')
    await world.subscribe('', {}, '127.0.0.3')
    const { status, headers } = await world.ask('')
    expect([status, headers.get('slotwire-error'), headers.get('retry-after')]).toEqual([503, 'streams-taken', '1'])
    expect(await world.ask('?after=7-0&wait=0s')).toMatchObject({ status: 200 })
  })
})

describe('a reader that stops reading', () => {
  const PADDING = 'x'.repeat(2000)
  /** More than the buffers of a connection hold, and than the journal. */
  async function flood(): Promise<void> {
    for (let count = 0; count < 12_000; count++) {
      world.journal.add({ kind: 'write', padding: PADDING })
      if (count % 100 === 0) await world.clock.advance(BATCH_MS)
    }
    await world.clock.advance(BATCH_MS)
  }

  /** The answers of all streams from now on. */
  function answers(): { writableLength: number }[] {
    const responses: { writableLength: number }[] = []
    const { routes } = world.toy.service
    const answer = routes.answer.bind(routes)
    routes.answer = (request, response, caller) => {
      responses.push(response)
      answer(request, response, caller)
    }
    return responses
  }

  /** Floods until all these connections are full. Readers that are behind have one turn of the event loop each. */
  async function fill(responses: readonly { writableLength: number }[]): Promise<void> {
    do {
      await flood()
      for (let turn = 0; turn < 1000; turn++) await nextTurn()
    } while (responses.some(({ writableLength }) => writableLength === 0))
  }

  it('gets a gap for what the journal lost meanwhile, then the rest and the state', async () => {
    world = await StreamWorld.open()
    const client = await world.subscribe()
    await client.next()
    client.response.pause()
    await flood()
    world.journal.add({ kind: 'write' })
    await nextTurn()
    // Waits for its batch while the reader gets it from the journal.
    world.journal.add({ kind: 'write' })
    client.response.resume()
    const messages: Awaited<ReturnType<Subscriber['next']>> = []
    while (messages.at(-1)?.data?.['kind'] !== 'hello') messages.push(...(await client.next()))
    let expected = 1
    let missing = 0
    for (const { data } of messages) {
      if (data?.['kind'] === 'gap') {
        expect(data['from']).toBe(`7-${expected}`)
        expected += Number(data['missing'])
        missing += Number(data['missing'])
      } else if (data?.['kind'] === 'write') expect(data['id']).toBe(`7-${expected++}`)
    }
    expect(expected).toBe(12_003)
    expect(missing).toBeGreaterThan(0)
    await world.alerts(1)
    expect(await client.data()).toMatchObject({ kind: 'alert', id: '7-12003' })
  }, 30_000)

  it('is closed after 30 s like a hundred others, and readers notice nothing', async () => {
    world = await StreamWorld.open()
    const reading = await world.subscribe('?kinds=alert')
    const full = answers()
    for (let host = 1; host <= 100; host++) (await world.subscribe('', {}, `127.0.1.${host}`)).response.pause()
    await fill(full)
    await world.clock.advance(20_000)
    expect(world.metric('subscribers')).toBe(101)
    await world.clock.advance(11_000)
    expect([world.metric('subscribers'), world.metric('stalled_total')]).toEqual([1, 100])
    await world.alerts(1)
    const received: unknown[] = []
    while (received.at(-1) !== 'alert') received.push(...kinds(await reading.next()))
    expect(received.filter((kind) => kind !== undefined)).toEqual(['hello', 'alert'])
  }, 30_000)

  it('reads the journal alone in a turn of the event loop: requests are answered between', async () => {
    world = await StreamWorld.open()
    await flood()
    const { journal } = world
    const read = journal.read.bind(journal)
    let [inTurn, most] = [0, 0]
    journal.read = (...wanted) => {
      most = Math.max(most, ++inTurn)
      void nextTurn().then(() => {
        inTurn = 0
      })
      return read(...wanted)
    }
    const clients = await Promise.all(Array.from({ length: 16 }, () => world.subscribe('?after=7-1')))
    for (const client of clients) while ((await client.data())?.['kind'] !== 'hello');
    expect(most).toBe(1)
  })

  it('keeps no more than its buffer in this process', async () => {
    world = await StreamWorld.open()
    const responses = answers()
    for (let count = 0; count < 10; count++) (await world.subscribe()).response.pause()
    await fill(responses)
    expect(responses).toHaveLength(10)
    for (const { writableLength } of responses) expect(writableLength).toBeLessThan(2 * 65_536)
  }, 30_000)
})

describe('the end of a stream', () => {
  it('comes at once when the service closes, for streams and long polls', async () => {
    world = await StreamWorld.open()
    const client = await world.subscribe()
    const poll = world.ask('?wait=20s&after=7-0')
    await expect.poll(() => world.metric('subscribers')).toBe(2)
    await world.toy.service.close()
    expect((await client.rest()).map(({ data }) => data?.['reason'] ?? data?.['kind'])).toEqual(['hello', 'stopping'])
    expect(await poll).toMatchObject({ status: 200, body: '{"messages":[],"next":"7-0"}\n' })
  })

  it('frees everything when the client goes away', async () => {
    world = await StreamWorld.open()
    const client = await world.subscribe('?watch=toy/3/level@50ms')
    await client.next()
    client.close()
    await expect.poll(() => world.clock.advance(500).then(() => world.metric('subscribers'))).toBe(0)
    expect(world.clock.pending).toBe(0)
  })
})
