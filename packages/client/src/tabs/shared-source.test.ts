import { ManualClock, nextTurn, seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { Connection } from '../connection.ts'
import type { Message, Subscriber } from '../live/feed.ts'
import { SharedSource } from './shared-source.ts'
import type { TabMessage, Tabs } from './tabs.ts'

/** Tabs of one browser, in memory: the first one leads. */
class Browser {
  readonly #tabs: { own: string; receive: (message: TabMessage) => void; lead: () => void; gone: Map<string, () => void> }[] = []

  open(own: string): Tabs {
    const tab = {
      own,
      receive: (_message: TabMessage) => undefined as void,
      lead: () => undefined as void,
      gone: new Map<string, () => void>(),
    }
    this.#tabs.push(tab)
    return {
      own,
      post: (message) => {
        // As a closed channel.
        if (!this.#tabs.includes(tab)) return
        for (const other of this.#tabs) if (other !== tab) other.receive(structuredClone(message))
      },
      onMessage: (listener) => {
        tab.receive = listener
      },
      onLead: (lead) => {
        tab.lead = lead
        if (this.#tabs[0] === tab) lead()
      },
      onGone: (name, listener) => tab.gone.set(name, listener),
      close: () => {
        const wasFirst = this.#tabs[0] === tab
        this.#tabs.splice(this.#tabs.indexOf(tab), 1)
        for (const other of this.#tabs) other.gone.get(own)?.()
        if (wasFirst) this.#tabs[0]?.lead()
      },
    }
  }
}

/** A server that streams what the test writes, to the newest stream. */
class Server {
  readonly streams: { path: string; after: string | undefined; write: (id: string, message: object) => void }[] = []

  readonly transport: ConstructorParameters<typeof Connection>[0]['transport'] = async (path, { headers, signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const write = (id: string, message: object): void =>
          controller.enqueue(new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`))
        this.streams.push({ path: decodeURIComponent(path), after: headers['last-event-id'], write })
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
    return new Response(body)
  }

  get newest() {
    return this.streams.at(-1) as (typeof this.streams)[number]
  }
}

class Reader implements Subscriber {
  readonly got: Message[] = []
  readonly failures: unknown[] = []
  readonly watch: { readonly resource: string; readonly everyMs: number } | undefined
  isOpen = false

  constructor(watch?: { resource: string; everyMs: number }) {
    this.watch = watch
  }

  onMessage(message: Message): void {
    if (message.kind !== 'value' || message['watch'] === this.watch?.resource) this.got.push(message)
  }

  onOpen(): void {
    this.isOpen = true
  }

  onFailure(error: unknown): void {
    this.failures.push(error)
  }
}

function setUp() {
  const browser = new Browser()
  const server = new Server()
  const clock = new ManualClock()
  const open = (name: string) => {
    const options = { clock, random: seededRandom(1), deadlineMs: 10_000, token: undefined, streams: true }
    const connection = new Connection({ ...options, transport: server.transport })
    return { connection, source: new SharedSource(connection, () => undefined, browser.open(name)) }
  }
  /** The stream is opened again with what was watched meanwhile. */
  const joined = async (): Promise<void> => {
    await settled()
    await clock.advance(REWATCH_MS)
    await settled()
  }
  return { server, open, joined }
}

/** Lets everything happen that is ready. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}

const VALUES = 'io/3/input/values'
const value = (full: boolean, pins: object) => ({ kind: 'value', watch: VALUES, full, value: pins })

/** As the feed has it. */
const REWATCH_MS = 50

describe('SharedSource', () => {
  it('opens one stream for all tabs, with what all of them watch', async () => {
    const { server, open, joined } = setUp()
    const [first, second] = [open('a'), open('b')]
    const records = new Reader()
    first.source.add(records)
    await settled()
    second.source.add(new Reader({ resource: VALUES, everyMs: 250 }))
    await settled()
    second.source.add(new Reader({ resource: 'power/1/stats', everyMs: 1000 }))
    await joined()
    expect(server.streams).toHaveLength(2)
    expect(server.newest.path).toBe(`/slotwire/events?watch=${VALUES}@250ms,power/1/stats@1000ms`)
    server.newest.write('1-1', { kind: 'hello', last: '1-1' })
    await settled()
    expect(records).toMatchObject({ isOpen: true, got: [{ kind: 'hello' }] })
  })

  it('gives a tab that comes later the whole value, merged from its changes', async () => {
    const { server, open } = setUp()
    open('a').source.add(new Reader({ resource: VALUES, everyMs: 250 }))
    await settled()
    server.newest.write('1-1', { kind: 'hello', last: '1-1' })
    server.newest.write('1-1', value(true, { one: 1, two: 2 }))
    server.newest.write('1-1', value(false, { two: 3 }))
    await settled()
    const before = server.streams.length
    const late = new Reader({ resource: VALUES, everyMs: 250 })
    open('b').source.add(late)
    await settled()
    expect(late).toMatchObject({ isOpen: true, got: [value(true, { one: 1, two: 3 })] })
    expect(server.streams).toHaveLength(before)
  })

  it('continues in the next tab after the last record, when the leading tab is gone', async () => {
    const { server, open } = setUp()
    const [first, second] = [open('a'), open('b')]
    const records = new Reader()
    second.source.add(records)
    await settled()
    server.newest.write('1-1', { kind: 'hello', last: '1-1' })
    server.newest.write('1-2', { kind: 'write', id: '1-2' })
    await settled()
    first.connection.close()
    await settled()
    expect(server.newest.after).toBe('1-2')
    server.newest.write('1-3', { kind: 'write', id: '1-3' })
    await settled()
    expect(records.got.map(({ id }) => id)).toEqual([undefined, '1-2', '1-3'])
  })

  it('watches no longer what only a closed tab wanted', async () => {
    const { server, open, joined } = setUp()
    const [first, second] = [open('a'), open('b')]
    first.source.add(new Reader())
    second.source.add(new Reader({ resource: VALUES, everyMs: 250 }))
    await joined()
    expect(server.newest.path).toContain(VALUES)
    second.connection.close()
    await joined()
    expect(server.newest.path).toBe('/slotwire/events')
  })
})
