import { ManualClock, nextTurn, seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../http-client.ts'
import { Feed, type FeedSubscriber, type Message } from './feed.ts'

/** A server that streams what the test writes, to the newest stream. */
class Server {
  open = 0
  readonly streams: { path: string; after: string | undefined; write: (id: string, message: object) => void }[] = []

  readonly transport: ConstructorParameters<typeof HttpClient>[0]['transport'] = async (path, { headers, signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const write = (id: string, message: object): void =>
          controller.enqueue(new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`))
        this.streams.push({ path: decodeURIComponent(path), after: headers['last-event-id'], write })
        this.open++
        signal.addEventListener('abort', () => {
          this.open--
          controller.error(signal.reason)
        })
      },
    })
    return new Response(body)
  }

  get newest() {
    return this.streams.at(-1) as (typeof this.streams)[number]
  }
}

class Reader implements FeedSubscriber {
  readonly got: Message[] = []
  readonly failures: unknown[] = []

  constructor(readonly watch?: { resource: string; everyMs: number }) {}

  onMessage(message: Message): void {
    if (message.kind !== 'value' || message['watch'] === this.watch?.resource) this.got.push(message)
  }

  onFailure(error: unknown): void {
    this.failures.push(error)
  }
}

function setUp() {
  const server = new Server()
  const clock = new ManualClock()
  const options = { clock, random: seededRandom(1), deadlineMs: 10_000, token: undefined, streams: true }
  const http = new HttpClient({ ...options, transport: server.transport })
  return { server, clock, http, feed: new Feed(http, () => undefined) }
}

/** Lets everything happen that is ready. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}

const VALUES = 'io/3/input/values'
/** As the feed has it. */
const REWATCH_MS = 50

describe('Feed', () => {
  it('opens one stream for all subscribers, with what they watch within 50 ms', async () => {
    const { server, clock, feed } = setUp()
    feed.add(new Reader())
    await settled()
    feed.add(new Reader({ resource: VALUES, everyMs: 250 }))
    const stop = feed.add(new Reader({ resource: 'power/1/stats', everyMs: 1000 }))
    await clock.advance(REWATCH_MS)
    await settled()
    expect(server.streams).toHaveLength(2)
    expect(server.newest.path).toBe(`/slotwire/events?watch=${VALUES}@250ms,power/1/stats@1000ms`)
    stop()
    await clock.advance(REWATCH_MS)
    await settled()
    expect(server.newest.path).toBe(`/slotwire/events?watch=${VALUES}@250ms`)
  })

  it('has no stream while it rests, and continues after the last record then', async () => {
    const { server, clock, feed } = setUp()
    const records = new Reader()
    feed.add(records)
    await settled()
    server.newest.write('1-1', { kind: 'hello', last: '1-1' })
    server.newest.write('1-2', { kind: 'write', id: '1-2' })
    await settled()
    feed.rest(true)
    await settled()
    expect(server.open).toBe(0)
    await clock.advance(60_000)
    await settled()
    expect(server.streams).toHaveLength(1)
    feed.rest(false)
    await settled()
    expect(server.newest.after).toBe('1-2')
    server.newest.write('1-3', { kind: 'write', id: '1-3' })
    await settled()
    expect(records.got.map(({ id }) => id)).toEqual([undefined, '1-2', '1-3'])
  })

  it('ends its subscribers when the connection closes while it rests', async () => {
    const { http, feed } = setUp()
    const records = new Reader()
    feed.rest(true)
    feed.add(records)
    http.close()
    await settled()
    expect(records.failures).toEqual([undefined])
  })
})
